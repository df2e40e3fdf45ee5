package io.thalweg.live.inspect;

import java.util.Locale;

/**
 * A reason why a job does not keep up.
 *
 * @param evidence what was measured
 * @param change what to set or to write differently
 * @param effect the expected result
 */
public record Finding(Domain domain, String evidence, String change, String effect) {
    /** A part of the machine. */
    public enum Area {
        NETWORK,
        CPU,
        MEMORY
    }

    /** A part of the work. */
    public enum Domain {
        /** The number of threads that share the work. */
        PARALLELISM(Area.CPU),
        /** The division of the work between them. */
        PARTITIONING(Area.CPU),
        /** The work that a definition requires. */
        ALGORITHM(Area.CPU),
        /** The amount written at once. */
        BATCH_SIZE(Area.NETWORK),
        /** Stores and other services that a stage waits for. */
        REMOTE_CALLS(Area.NETWORK),
        CHECKPOINTS(Area.NETWORK),
        GARBAGE_COLLECTION(Area.MEMORY),
        /** Processors that other processes use; the job itself is not at fault. */
        MACHINE(Area.CPU),
        /** The job does not run for long enough to be judged. */
        FAILURES(Area.CPU);

        private final Area area;

        Domain(Area area) {
            this.area = area;
        }

        /** The affected part of the machine. */
        public Area area() {
            return area;
        }

        /** The name in messages. */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }
}
