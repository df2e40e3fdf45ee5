package io.thalweg.jobs.lane;

import io.thalweg.records.schema.Struct;
import io.thalweg.warehouse.LaneAddress;
import java.io.Serializable;

/**
 * What a sink writes, and where.
 *
 * @param rows the schema of the rows
 * @param writers how many lanes all subtasks have together
 * @param jobId names what this process shares with the job: counts
 */
public record LaneSpec(LaneAddress table, Struct rows, Writers writers, String jobId, Refusals refusals)
        implements Serializable {
    /**
     * Numbers of lanes.
     *
     * @param least at least 1 for each subtask
     * @param most equal to {@code least} = a fixed number
     */
    public record Writers(int least, int most) implements Serializable {
        public Writers {
            if (least < 1 || most < least) {
                throw new IllegalArgumentException("1 <= least <= most is required, was " + least + ", " + most);
            }
        }

        /** The part of a subtask: all parts together are the whole, where every subtask can have one. */
        Writers of(int subtask, int subtasks) {
            int from = Math.max(1, part(least, subtask, subtasks));
            return new Writers(from, Math.max(from, part(most, subtask, subtasks)));
        }

        private static int part(int whole, int subtask, int subtasks) {
            return whole / subtasks + (subtask < whole % subtasks ? 1 : 0);
        }
    }
}
