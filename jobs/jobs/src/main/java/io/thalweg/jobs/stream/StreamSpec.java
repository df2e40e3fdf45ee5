package io.thalweg.jobs.stream;

import io.thalweg.records.schema.Struct;
import io.thalweg.warehouse.StreamAddress;
import java.io.Serializable;

/**
 * The configuration of a stream sink.
 *
 * @param rows the schema of the rows
 * @param writers how many streams all subtasks have together
 * @param jobId the key of the counts that this process shares with the job
 */
public record StreamSpec(StreamAddress table, Struct rows, Writers writers, String jobId, Refusals refusals)
        implements Serializable {
    /**
     * The bounds of the number of streams.
     *
     * @param least the minimum; each subtask has at least one stream
     * @param most the maximum; equal to {@code least} = a fixed number
     */
    public record Writers(int least, int most) implements Serializable {
        public Writers {
            if (least < 1 || most < least) {
                throw new IllegalArgumentException("1 <= least <= most is required, was " + least + ", " + most);
            }
        }

        /** Returns the share of a subtask. The shares add up to the total if that allows at least one stream per subtask. */
        Writers of(int subtask, int subtasks) {
            int from = Math.max(1, part(least, subtask, subtasks));
            return new Writers(from, Math.max(from, part(most, subtask, subtasks)));
        }

        private static int part(int whole, int subtask, int subtasks) {
            return whole / subtasks + (subtask < whole % subtasks ? 1 : 0);
        }
    }
}
