package io.thalweg.qalm.traces;

import io.thalweg.qalm.CallerPolicy;
import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.registry.Rules;
import io.thalweg.qalm.yaml.RulesYaml;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The callers of each endpoint in traces, with a proposed criticality: level 3 if nine of ten calls, by name or tags, are not on
 * behalf of a user, otherwise level 2. Levels 0 and 1 are never proposed, because operators must decide what is critical. A hint
 * marks callers of which nine of ten calls are on behalf of calls of these levels. Existing rules are kept.
 *
 * @param traces the number of traces
 * @param lines ordered by service, endpoint and descending calls
 */
public record Proposal(int traces, List<Line> lines) {
    private static final double MOST = 0.9;

    public Proposal {
        lines = List.copyOf(lines);
    }

    /**
     * One caller of an endpoint.
     *
     * @param service the service that has the endpoint
     * @param calls the number of calls in the traces
     * @param criticality the criticality in the rules, or the proposed one
     * @param ruled whether the rules already determine the criticality
     * @param why the reason in a few words
     * @param upstreamCore the share of its calls that are on behalf of calls of level 0 or 1
     */
    public record Line(
            String service,
            String endpoint,
            String caller,
            long calls,
            Criticality criticality,
            boolean ruled,
            String why,
            double upstreamCore) {
        /** Whether an operator should consider level 1. */
        public boolean perhapsCore() {
            return criticality.sheddable() && upstreamCore >= MOST;
        }
    }

    private record Key(String service, String endpoint, String caller) {}

    private static final class Tally {
        long calls;
        long background;
        long core;
        String sign = "";
    }

    /**
     * Proposes rules.
     *
     * @param services the services whose endpoints are included; empty for all
     * @param rules the existing rules
     */
    public static Proposal of(Traces traces, Set<String> services, Rules rules) {
        Map<Key, Tally> tallies = new HashMap<>();
        for (Span served : traces.servers()) {
            if (services.isEmpty() || services.contains(served.service())) {
                count(traces, served, rules, tallies);
            }
        }
        List<Line> lines = new ArrayList<>();
        tallies.forEach((key, tally) -> lines.add(line(key, tally, rules)));
        lines.sort(Comparator.comparing(Line::service)
                .thenComparing(Line::endpoint)
                .thenComparing(Comparator.comparingLong(Line::calls).reversed())
                .thenComparing(Line::caller));
        return new Proposal(traces.count(), lines);
    }

    private static void count(Traces traces, Span served, Rules rules, Map<Key, Tally> tallies) {
        Span caller = traces.caller(served);
        String name = caller == null || caller.service().isEmpty() ? "unknown" : caller.service();
        Tally tally = tallies.computeIfAbsent(new Key(served.service(), served.endpoint(), name), key -> new Tally());
        tally.calls++;
        String sign = caller == null ? null : caller.background();
        if (sign != null) {
            tally.background++;
            tally.sign = sign;
        }
        tally.core += onBehalfOfCore(traces, served, rules) ? 1 : 0;
    }

    private static boolean onBehalfOfCore(Traces traces, Span served, Rules rules) {
        return traces.ancestors(served).stream().filter(Span::isServer).anyMatch(above -> {
            Span caller = traces.caller(above);
            CallerPolicy policy =
                    rules.endpoint(above.endpoint()).callers().apply(caller == null ? "unknown" : caller.service());
            return !policy.criticality().sheddable();
        });
    }

    private static Line line(Key key, Tally tally, Rules rules) {
        CallerPolicy rule = rules.endpoint(key.endpoint).callers().apply(key.caller);
        boolean ruled = isRuled(rules, key.endpoint, key.caller);
        boolean background = tally.background >= MOST * tally.calls;
        Criticality proposed = background ? Criticality.BACKGROUND : Criticality.FEATURE;
        String why = background ? tally.sign + " marks background traffic" : "no sign of background traffic";
        return new Line(
                key.service,
                key.endpoint,
                key.caller,
                tally.calls,
                ruled ? rule.criticality() : proposed,
                ruled,
                ruled ? "from the rules" : why,
                (double) tally.core / tally.calls);
    }

    private static boolean isRuled(Rules rules, String endpoint, String caller) {
        Rules.Endpoint at = rules.endpoints().get(endpoint);
        boolean here = at != null
                && (at.criticality() != null
                        || at.callers().containsKey(caller)
                        || at.callers().containsKey("*"));
        return here || rules.callers().containsKey(caller);
    }

    /** The services whose endpoints were called. */
    public Set<String> services() {
        Set<String> services = new TreeSet<>();
        lines.forEach(line -> services.add(line.service()));
        return services;
    }

    /** Merges the proposed rules into the existing ones, which must be those passed to {@link #of}. */
    public Rules applied(Rules rules) {
        Rules applied = rules;
        for (Line line : lines) {
            if (!line.ruled()) {
                applied = applied.withCaller(line.endpoint(), line.caller(), new CallerPolicy(line.criticality()));
            }
        }
        return applied;
    }

    /** Writes the resulting rules as a YAML document with the reasons as comments. */
    public String document(Rules rules) {
        StringBuilder out = new StringBuilder();
        out.append(
                "# Proposed from %,d traces. Levels 0 and 1 are never proposed: change 2 to 1 for calls that must be served.\n"
                        .formatted(traces));
        for (Line line : lines) {
            out.append("#   ").append(comment(line)).append('\n');
        }
        return out.append(RulesYaml.write(applied(rules))).toString();
    }

    private static String comment(Line line) {
        String hint = hint(line);
        return String.format(
                        Locale.ROOT,
                        "%s, %s: %,d calls, level %d: %s%s",
                        line.endpoint(),
                        line.caller(),
                        line.calls(),
                        line.criticality().level(),
                        line.why(),
                        hint == null ? "" : "; " + hint)
                // Names are not trusted: a comment must end with its line.
                .replaceAll("[\\p{Cntrl}\\u2028\\u2029]", " ");
    }

    /** The advice for an operator; null if there is none. */
    public static @Nullable String hint(Line line) {
        return line.perhapsCore()
                ? String.format(
                        Locale.ROOT,
                        "perhaps 1: %.0f %% of its calls are on behalf of calls of level 0 or 1",
                        100 * line.upstreamCore())
                : null;
    }
}
