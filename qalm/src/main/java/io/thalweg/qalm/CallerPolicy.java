package io.thalweg.qalm;

/**
 * What holds for a caller at an endpoint.
 *
 * @param criticality of its calls unless they ask for less
 * @param neverDropPerSecond how many of its calls of levels 0 and 1 keep their level each second; the rest count as level 2.
 *     Infinite by default
 */
public record CallerPolicy(Criticality criticality, double neverDropPerSecond) {
    public static final CallerPolicy DEFAULT = new CallerPolicy(Criticality.FEATURE);

    public CallerPolicy {
        if (!(neverDropPerSecond >= 0)) {
            throw new IllegalArgumentException("budget must be at least 0 calls a second, was " + neverDropPerSecond
                    + "; leave it out for no budget");
        }
    }

    /** Without a budget. */
    public CallerPolicy(Criticality criticality) {
        this(criticality, Double.POSITIVE_INFINITY);
    }
}
