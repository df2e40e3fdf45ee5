package io.thalweg.jobs.lane;

import io.thalweg.warehouse.LaneCommit;
import java.util.List;

/**
 * The state of a subtask's lanes in a checkpoint.
 *
 * @param counts the counts of all lanes so far
 * @param ends the last commit of each stream that had one and is not finalized; rows visible beyond it were committed by a later
 *     checkpoint
 */
record LaneState(LaneCounts counts, List<LaneCommit> ends) {}
