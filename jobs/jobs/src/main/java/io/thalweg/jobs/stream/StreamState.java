package io.thalweg.jobs.stream;

import io.thalweg.warehouse.StreamCommit;
import java.util.List;

/**
 * The state of a subtask's streams in a checkpoint.
 *
 * @param counts the counts of all streams so far
 * @param ends the last commit of each stream that had one and is not finalized; rows visible beyond it were committed by a later
 *     checkpoint
 */
record StreamState(StreamTotals counts, List<StreamCommit> ends) {}
