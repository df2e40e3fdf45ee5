package io.thalweg.qalm;

import java.util.function.Function;

/**
 * What holds for one endpoint.
 *
 * @param lane how its lane behaves
 * @param callers what holds for a caller, by name; asked for every call, so it looks up and does not compute
 */
public record EndpointPolicy(LaneConfig lane, Function<String, CallerPolicy> callers) {}
