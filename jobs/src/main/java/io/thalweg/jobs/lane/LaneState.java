package io.thalweg.jobs.lane;

import io.thalweg.warehouse.LaneCommit;
import java.util.List;

/**
 * What a checkpoint holds of a subtask's lanes.
 *
 * @param counts of all lanes so far
 * @param ends the last commit of each stream that has had one and was not given up; what is visible behind it, a later checkpoint has
 *     committed
 */
record LaneState(LaneCounts counts, List<LaneCommit> ends) {}
