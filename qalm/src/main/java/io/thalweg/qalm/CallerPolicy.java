package io.thalweg.qalm;

/**
 * What holds for a caller at an endpoint.
 *
 * @param criticality of its calls unless they ask for less
 * @param neverDropPerSecond how many of its calls of levels 0 and 1 keep their level each second; the rest count as level 2.
 *     Infinite by default; {@link #LEARNED} = twice what it needs in ordinary times
 * @param weight how many usual calls each of its calls is worth, 1 to 100: see {@link Call#weight}
 * @param mayRaise whether its calls may also ask for more, if it has proven who it is: for gateways that pass on what others
 *     asked for
 */
public record CallerPolicy(Criticality criticality, double neverDropPerSecond, int weight, boolean mayRaise) {
    public static final CallerPolicy DEFAULT = new CallerPolicy(Criticality.FEATURE);

    /** A budget that each lane learns: no number of calls a second by itself. */
    public static final double LEARNED = Double.NaN;

    public CallerPolicy {
        if (neverDropPerSecond < 0) {
            throw new IllegalArgumentException("never_drop_per_second must be at least 0, was " + neverDropPerSecond
                    + "; leave it out for no budget, or write learned");
        }
        if (weight < 1 || weight > Call.WEIGHT_MAX) {
            throw new IllegalArgumentException(
                    "weight must be 1 to " + Call.WEIGHT_MAX + ", was " + weight + "; leave it out for usual calls");
        }
    }

    /** Each call is a usual one. */
    public CallerPolicy(Criticality criticality, double neverDropPerSecond, boolean mayRaise) {
        this(criticality, neverDropPerSecond, 1, mayRaise);
    }

    /** Without a budget, and may not raise. */
    public CallerPolicy(Criticality criticality) {
        this(criticality, Double.POSITIVE_INFINITY, false);
    }

    /** Whether its budget is what lanes have learned. */
    public boolean learnsBudget() {
        return Double.isNaN(neverDropPerSecond);
    }

    /** The same with another criticality. */
    public CallerPolicy withCriticality(Criticality other) {
        return new CallerPolicy(other, neverDropPerSecond, weight, mayRaise);
    }
}
