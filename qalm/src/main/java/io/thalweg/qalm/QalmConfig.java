package io.thalweg.qalm;

/**
 * What a process gives to load management. Immutable.
 *
 * @param slots calls of all lanes under way at most: the size of the pool that works on them; at least 1
 * @param limitMin below which no lane's own limit is tuned; at least 1, the number of cores is right
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
