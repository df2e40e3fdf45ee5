package io.thalweg.qalm;

/**
 * The resources of a process for all lanes together. Immutable.
 *
 * @param slots the maximum number of calls in flight in all lanes, normally the size of the worker pool; at least 1
 * @param limitMin the lowest limit to which a lane is tuned, normally the number of cores; at least 1
 */
public record QalmConfig(int slots, int limitMin) {
    public QalmConfig {
        atLeastOne("slots", slots, "the size of the pool that does the work");
        atLeastOne("limit_min", limitMin, "the number of cores");
    }

    private static void atLeastOne(String key, int value, String example) {
        if (value < 1) {
            throw new IllegalArgumentException(key + " must be at least 1, was " + value + "; for example " + example);
        }
    }
}
