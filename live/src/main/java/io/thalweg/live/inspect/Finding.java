package io.thalweg.live.inspect;

import java.util.Locale;

/**
 * Something that keeps a job from its work.
 *
 * @param evidence what was measured
 * @param change what to set or to write differently
 * @param effect what that should do
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
        /** Threads that share the work. */
        PARALLELISM(Area.CPU),
        /** How the work is divided between them. */
        PARTITIONING(Area.CPU),
        /** What a definition asks for. */
        ALGORITHM(Area.CPU),
        /** How much is written at once. */
        BATCH_SIZE(Area.NETWORK),
        /** Stores and other services that a stage waits for. */
        REMOTE_CALLS(Area.NETWORK),
        CHECKPOINTS(Area.NETWORK),
        GARBAGE_COLLECTION(Area.MEMORY),
        /** Processors that other processes use; nothing of the job is wrong. */
        MACHINE(Area.CPU),
        /** The job does not run for long enough to be judged. */
        FAILURES(Area.CPU);

        private final Area area;

        Domain(Area area) {
            this.area = area;
        }

        /** The part of the machine that it is about. */
        public Area area() {
            return area;
        }

        /** For people. */
        public String text() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }
}
