package io.thalweg.qalm;

/**
 * The configuration of each lane and the rules for its callers, as set by operators. A lane reads its {@link EndpointPolicy} once
 * per policy and keeps it, so a policy must return equal values each time.
 *
 * <p><b>Threads.</b> Implementations are immutable.
 */
public interface Policy {
    /** {@link LaneConfig#DEFAULT} for all endpoints and level 2 for all callers. */
    Policy DEFAULT = endpoint -> new EndpointPolicy(LaneConfig.DEFAULT, caller -> CallerPolicy.DEFAULT);

    /** The policy of an endpoint, known or not. */
    EndpointPolicy endpoint(String endpoint);
}
