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
 * The rules of a registry. Immutable.
 *
 * <p>The criticality of a call comes from the first of these that is given: the endpoint's {@code callers} by name, the endpoint's
 * {@code callers."*"}, the document's {@code callers} by name, the endpoint itself, level 2.
 *
 * @param mode the upper bound of the mode of all lanes, so that {@code off} switches all of them off
 * @param callers by name, for endpoints that have no rule for the caller
 * @param endpoints by name, such as {@code package.Service/Method} or {@code GET /path}
 */
public record Rules(Mode mode, Map<String, CallerPolicy> callers, Map<String, Endpoint> endpoints) implements Policy {
    /** All lanes on, no rules. */
    public static final Rules NONE = new Rules(Mode.ON, Map.of(), Map.of());

    private static final String ANY_CALLER = "*";

    public Rules {
        callers = ordered(callers);
        endpoints = ordered(endpoints);
    }

    /**
     * The rules of one endpoint.
     *
     * @param lane the configuration of its lane
     * @param criticality of callers without a rule; null if not given
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
        CallerPolicy anyCaller = endpoint.callers().get(ANY_CALLER);
        CallerPolicy otherwise =
                endpoint.criticality() == null ? CallerPolicy.DEFAULT : new CallerPolicy(endpoint.criticality());
        return new EndpointPolicy(lane, caller -> {
            CallerPolicy here = endpoint.callers().get(caller);
            if (here != null) {
                return here;
            }
            return anyCaller != null ? anyCaller : callers.getOrDefault(caller, otherwise);
        });
    }

    private static Mode less(Mode one, Mode other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    public Rules withMode(Mode changed) {
        return new Rules(changed, callers, endpoints);
    }

    /** Returns a copy with another mode of one endpoint. */
    public Rules withMode(String endpoint, Mode changed) {
        Endpoint before = at(endpoint);
        return withEndpoint(
                endpoint, new Endpoint(before.lane().withMode(changed), before.criticality(), before.callers()));
    }

    /** Returns a copy with another criticality of an endpoint's callers without a rule; null removes it. */
    public Rules withCriticality(String endpoint, @Nullable Criticality criticality) {
        Endpoint before = at(endpoint);
        return withEndpoint(endpoint, new Endpoint(before.lane(), criticality, before.callers()));
    }

    /** Returns a copy with another rule of a caller, for endpoints that have none for it; null removes it. */
    public Rules withCaller(String caller, @Nullable CallerPolicy rule) {
        return new Rules(mode, with(callers, caller, rule), endpoints);
    }

    /** Returns a copy with another rule of a caller at an endpoint; null removes it. */
    public Rules withCaller(String endpoint, String caller, @Nullable CallerPolicy rule) {
        Endpoint before = at(endpoint);
        return withEndpoint(
                endpoint, new Endpoint(before.lane(), before.criticality(), with(before.callers(), caller, rule)));
    }

    /** Returns a copy with other rules of an endpoint; null, or rules equal to the defaults, removes them. */
    public Rules withEndpoint(String name, @Nullable Endpoint rules) {
        return new Rules(mode, callers, with(endpoints, name, Endpoint.UNKNOWN.equals(rules) ? null : rules));
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
