package io.thalweg.qalm.registry;

import io.thalweg.qalm.CallerPolicy;
import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.EndpointPolicy;
import io.thalweg.qalm.LaneConfig;
import io.thalweg.qalm.Mode;
import io.thalweg.qalm.Policy;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A document of the registry. Immutable.
 *
 * <p>A call's criticality is that of, first found: the endpoint's {@code callers} by name, the endpoint's {@code callers."*"}, the
 * document's {@code callers} by name, the endpoint itself, level 2.
 *
 * @param mode of all lanes; an endpoint may do less than it, never more, so that {@code off} is one switch for all
 * @param callers what holds for a caller wherever its endpoint says nothing
 * @param endpoints by name, as {@code package.Service/Method} or {@code GET /path}
 */
public record Rules(Mode mode, Map<String, CallerPolicy> callers, Map<String, Endpoint> endpoints) implements Policy {
    /** Everything on, nobody known. */
    public static final Rules NONE = new Rules(Mode.ON, Map.of(), Map.of());

    private static final String ANYBODY = "*";

    public Rules {
        callers = ordered(callers);
        endpoints = ordered(endpoints);
    }

    /**
     * What is said about one endpoint.
     *
     * @param lane how its lane behaves
     * @param criticality of callers that nothing is said about; null = nothing is said
     * @param callers by name, {@code *} for all others
     */
    public record Endpoint(LaneConfig lane, @Nullable Criticality criticality, Map<String, CallerPolicy> callers) {
        static final Endpoint UNKNOWN = new Endpoint(LaneConfig.DEFAULT, null, Map.of());

        public Endpoint {
            callers = ordered(callers);
        }
    }

    private static <V> Map<String, V> ordered(Map<String, V> map) {
        return Collections.unmodifiableMap(new LinkedHashMap<>(map));
    }

    @Override
    public EndpointPolicy endpoint(String name) {
        Endpoint endpoint = endpoints.getOrDefault(name, Endpoint.UNKNOWN);
        LaneConfig lane = endpoint.lane().withMode(less(mode, endpoint.lane().mode()));
        CallerPolicy anybody = endpoint.callers().get(ANYBODY);
        CallerPolicy otherwise =
                endpoint.criticality() == null ? CallerPolicy.DEFAULT : new CallerPolicy(endpoint.criticality());
        return new EndpointPolicy(lane, caller -> {
            CallerPolicy here = endpoint.callers().get(caller);
            if (here != null) {
                return here;
            }
            return anybody != null ? anybody : callers.getOrDefault(caller, otherwise);
        });
    }

    private static Mode less(Mode one, Mode other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    public Rules withMode(Mode changed) {
        return new Rules(changed, callers, endpoints);
    }

    /** The same, but for the mode of one endpoint. */
    public Rules withMode(String endpoint, Mode changed) {
        Endpoint before = at(endpoint);
        return withEndpoint(
                endpoint, new Endpoint(before.lane().withMode(changed), before.criticality(), before.callers()));
    }

    /** The same, but for the criticality of an endpoint's callers that nothing is said about; null removes it. */
    public Rules withCriticality(String endpoint, @Nullable Criticality said) {
        Endpoint before = at(endpoint);
        return withEndpoint(endpoint, new Endpoint(before.lane(), said, before.callers()));
    }

    /** The same, but for what is said about a caller wherever endpoints say nothing; null removes it. */
    public Rules withCaller(String caller, @Nullable CallerPolicy said) {
        return new Rules(mode, with(callers, caller, said), endpoints);
    }

    /** The same, but for what is said about a caller at an endpoint; null removes it. */
    public Rules withCaller(String endpoint, String caller, @Nullable CallerPolicy said) {
        Endpoint before = at(endpoint);
        return withEndpoint(
                endpoint, new Endpoint(before.lane(), before.criticality(), with(before.callers(), caller, said)));
    }

    /** The same, but for what is said about an endpoint; null, or nothing beyond the usual, removes it. */
    public Rules withEndpoint(String name, @Nullable Endpoint said) {
        return new Rules(mode, callers, with(endpoints, name, Endpoint.UNKNOWN.equals(said) ? null : said));
    }

    private Endpoint at(String endpoint) {
        return endpoints.getOrDefault(endpoint, Endpoint.UNKNOWN);
    }

    private static <V> Map<String, V> with(Map<String, V> before, String key, @Nullable V value) {
        Map<String, V> changed = new LinkedHashMap<>(before);
        if (value == null) {
            changed.remove(key);
        } else {
            changed.put(key, value);
        }
        return changed;
    }
}
