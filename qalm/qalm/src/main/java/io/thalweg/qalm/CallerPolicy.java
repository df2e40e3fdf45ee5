package io.thalweg.qalm;

/**
 * The rule for a caller at an endpoint.
 *
 * @param criticality the level of its calls unless they ask for a lower one
 * @param neverDropPerSecond how many of its calls of levels 0 and 1 keep their level each second; the rest count as level 2.
 *     Infinite by default; {@link #LEARNED} for a learned budget
 * @param weight how many ordinary calls each of its calls equals, 1 to 100: see {@link Call#weight}
 * @param mayRaise whether its calls may also ask for a higher criticality if the caller is authenticated. Meant for gateways
 *     that forward the criticality of their callers
 */
public record CallerPolicy(Criticality criticality, double neverDropPerSecond, int weight, boolean mayRaise) {
    public static final CallerPolicy DEFAULT = new CallerPolicy(Criticality.FEATURE);

    /** The value of {@code neverDropPerSecond} for a budget that each lane learns. */
    public static final double LEARNED = Double.NaN;

    public CallerPolicy {
        if (neverDropPerSecond < 0) {
            throw new IllegalArgumentException("never_drop_per_second must be at least 0, was " + neverDropPerSecond
                    + "; leave it out for no budget, or write learned");
        }
        if (weight < 1 || weight > Call.WEIGHT_MAX) {
            throw new IllegalArgumentException(
                    "weight must be 1 to " + Call.WEIGHT_MAX + ", was " + weight + "; leave it out for ordinary calls");
        }
    }

    /** Creates a rule with weight 1. */
    public CallerPolicy(Criticality criticality, double neverDropPerSecond, boolean mayRaise) {
        this(criticality, neverDropPerSecond, 1, mayRaise);
    }

    /** Creates a rule without a budget that may not raise the criticality. */
    public CallerPolicy(Criticality criticality) {
        this(criticality, Double.POSITIVE_INFINITY, false);
    }

    /** Whether lanes learn the budget. */
    public boolean learnsBudget() {
        return Double.isNaN(neverDropPerSecond);
    }

    /** Returns a copy with another criticality. */
    public CallerPolicy withCriticality(Criticality other) {
        return new CallerPolicy(other, neverDropPerSecond, weight, mayRaise);
    }
}
