package io.thalweg.qalm;

import java.util.function.Function;

/**
 * The policy of one endpoint.
 *
 * @param lane the configuration of its lane
 * @param callers the rule for a caller, by name; called for every request, so it must be fast
 */
public record EndpointPolicy(LaneConfig lane, Function<String, CallerPolicy> callers) {}
