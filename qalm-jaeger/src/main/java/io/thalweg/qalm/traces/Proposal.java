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
 * What traces say about who calls what, and a criticality for each: level 3 where nine of ten calls, by name or tags, are on no
 * user's behalf, else level 2. Levels 0 and 1 are never given, for to be critical is a promise that people make; where nine of ten
 * calls come on behalf of calls that already have them, that is said. What the rules already say stays.
 *
 * @param traces how many there were
 * @param lines by service, endpoint and then calls, most first
 */
public record Proposal(int traces, List<Line> lines) {
    private static final double MOST = 0.9;

    public Proposal {
        lines = List.copyOf(lines);
    }

    /**
     * One caller of an endpoint.
     *
     * @param service that serves it
     * @param calls in the traces
     * @param criticality that it has or is to have
     * @param said whether the rules say so already
     * @param why in a few words
     * @param upstreamCore the share of its calls that come on behalf of calls of level 0 or 1
     */
    public record Line(
            String service,
            String endpoint,
            String caller,
            long calls,
            Criticality criticality,
            boolean said,
            String why,
            double upstreamCore) {
        /** Whether somebody should think about level 1. */
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
     * Makes a proposal.
     *
     * @param services whose endpoints are looked at; none = those of all
     * @param rules what is already said
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
        CallerPolicy ruled = rules.endpoint(key.endpoint).callers().apply(key.caller);
        boolean said = isSaid(rules, key.endpoint, key.caller);
        boolean background = tally.background >= MOST * tally.calls;
        Criticality proposed = background ? Criticality.BACKGROUND : Criticality.FEATURE;
        String why = background ? tally.sign + " says it is for no user" : "nothing says otherwise";
        return new Line(
                key.service,
                key.endpoint,
                key.caller,
                tally.calls,
                said ? ruled.criticality() : proposed,
                said,
                said ? "the rules say so" : why,
                (double) tally.core / tally.calls);
    }

    private static boolean isSaid(Rules rules, String endpoint, String caller) {
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

    /** The rules with what is proposed; {@code rules} is what the proposal was made with. */
    public Rules applied(Rules rules) {
        Rules applied = rules;
        for (Line line : lines) {
            if (!line.said()) {
                applied = applied.withCaller(line.endpoint(), line.caller(), new CallerPolicy(line.criticality()));
            }
        }
        return applied;
    }

    /** The same as a document for the registry, with the reasons as comments. */
    public String document(Rules rules) {
        StringBuilder out = new StringBuilder();
        out.append(
                "# Proposed from %,d traces. Levels 0 and 1 are for people to give: change 2 to 1 where a call must get through.\n"
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
                // Names come from strangers: a comment must end where its line ends.
                .replaceAll("[\\p{Cntrl}\\u2028\\u2029]", " ");
    }

    /** What somebody should think about; null if nothing. */
    public static @Nullable String hint(Line line) {
        return line.perhapsCore()
                ? String.format(
                        Locale.ROOT,
                        "perhaps 1: %.0f %% of its calls are on behalf of calls of level 0 or 1",
                        100 * line.upstreamCore())
                : null;
    }
}
