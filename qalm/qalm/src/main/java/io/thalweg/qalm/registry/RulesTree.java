package io.thalweg.qalm.registry;

import io.thalweg.qalm.CallerPolicy;
import io.thalweg.qalm.LaneConfig;
import io.thalweg.qalm.Mode;
import io.thalweg.qalm.NeverDrop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts {@link Rules} to a tree of maps, text, numbers and booleans, and back; the result of {@link #of} reads back as the same
 * rules. A {@link Notation} writes it as text. {@code docs/reference/qalm.md} documents the keys.
 */
public final class RulesTree {
    private static final String LEARNED = "learned";

    private RulesTree() {}

    /**
     * Reads a document.
     *
     * @param name of the document, for messages
     * @throws RulesException with all problems
     */
    public static Rules parse(Notation notation, String name, String text) {
        List<String> problems = new ArrayList<>();
        Rules rules = rules(document(notation, name, text, problems));
        if (!problems.isEmpty()) {
            throw new RulesException(name, problems);
        }
        return rules;
    }

    static Section document(Notation notation, String name, String text, List<String> problems) {
        Object tree = notation.read(name, text);
        if (tree == null) {
            // A file may be empty for a moment while it is written; that must not remove all rules.
            throw new RulesException(name, List.of("is empty; write {} for no rules"));
        }
        return new Section("", tree, problems);
    }

    static Rules rules(Section section) {
        Rules rules = new Rules(
                section.choice("mode", Mode.class, Mode.ON),
                section.sections("callers", RulesTree::caller),
                section.sections("endpoints", RulesTree::endpoint));
        section.noOtherKeys();
        return rules;
    }

    private static CallerPolicy caller(Section section) {
        if (!section.isMap()) {
            return new CallerPolicy(section.criticality());
        }
        CallerPolicy caller = section.checked(
                CallerPolicy.DEFAULT,
                () -> new CallerPolicy(
                        section.section("criticality").criticality(),
                        section.number(
                                "never_drop_per_second", Double.POSITIVE_INFINITY, LEARNED, CallerPolicy.LEARNED),
                        weight(section.integer("weight")),
                        section.flag("may_raise")));
        section.noOtherKeys();
        return caller;
    }

    private static int weight(@Nullable Integer weight) {
        return weight == null ? CallerPolicy.DEFAULT.weight() : weight;
    }

    private static Rules.Endpoint endpoint(Section section) {
        Rules.Endpoint endpoint = new Rules.Endpoint(
                section.checked(LaneConfig.DEFAULT, () -> lane(section)),
                section.has("criticality") ? section.section("criticality").criticality() : null,
                section.sections("callers", RulesTree::caller));
        section.noOtherKeys();
        return endpoint;
    }

    private static LaneConfig lane(Section section) {
        LaneConfig defaults = LaneConfig.DEFAULT;
        Duration deadline = section.duration("deadline");
        Integer waitingMax = section.integer("waiting_max");
        return new LaneConfig(
                section.choice("mode", Mode.class, defaults.mode()),
                section.choice("never_drop", NeverDrop.class, defaults.neverDrop()),
                deadline == null ? defaults.deadline() : deadline,
                section.integer("reserve"),
                section.integer("limit"),
                section.duration("delay"),
                section.duration("max_healthy_service_time"),
                waitingMax == null ? defaults.waitingMax() : waitingMax);
    }

    /** Converts the rules to a tree whose keys are in the order in which they are written. */
    public static Map<String, Object> of(Rules rules) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("mode", word(rules.mode()));
        putMap(tree, "callers", callers(rules.callers()));
        Map<String, Object> endpoints = new LinkedHashMap<>();
        rules.endpoints().forEach((name, endpoint) -> endpoints.put(name, tree(endpoint)));
        putMap(tree, "endpoints", endpoints);
        return tree;
    }

    private static Map<String, Object> tree(Rules.Endpoint endpoint) {
        LaneConfig lane = endpoint.lane();
        LaneConfig defaults = LaneConfig.DEFAULT;
        Map<String, Object> tree = new LinkedHashMap<>();
        put(
                tree,
                "criticality",
                endpoint.criticality() == null ? null : endpoint.criticality().level());
        put(tree, "mode", lane.mode() == defaults.mode() ? null : word(lane.mode()));
        put(tree, "never_drop", lane.neverDrop() == defaults.neverDrop() ? null : word(lane.neverDrop()));
        put(
                tree,
                "deadline",
                lane.deadline().equals(defaults.deadline()) ? null : RuleDurations.write(lane.deadline()));
        put(tree, "reserve", lane.reserve());
        put(tree, "limit", lane.limit());
        put(tree, "delay", lane.delay() == null ? null : RuleDurations.write(lane.delay()));
        Duration healthy = lane.maxHealthyServiceTime();
        put(tree, "max_healthy_service_time", healthy == null ? null : RuleDurations.write(healthy));
        put(tree, "waiting_max", lane.waitingMax() == defaults.waitingMax() ? null : lane.waitingMax());
        putMap(tree, "callers", callers(endpoint.callers()));
        return tree;
    }

    private static Map<String, Object> callers(Map<String, CallerPolicy> callers) {
        Map<String, Object> tree = new LinkedHashMap<>();
        callers.forEach((name, caller) -> tree.put(name, tree(caller)));
        return tree;
    }

    private static Object tree(CallerPolicy caller) {
        int level = caller.criticality().level();
        if (caller.equals(new CallerPolicy(caller.criticality()))) {
            return level;
        }
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("criticality", level);
        double budget = caller.neverDropPerSecond();
        put(tree, "never_drop_per_second", budget == Double.POSITIVE_INFINITY ? null : budget(caller));
        put(tree, "weight", caller.weight() == CallerPolicy.DEFAULT.weight() ? null : caller.weight());
        put(tree, "may_raise", caller.mayRaise() ? true : null);
        return tree;
    }

    private static Object budget(CallerPolicy caller) {
        return caller.learnsBudget() ? LEARNED : caller.neverDropPerSecond();
    }

    private static void put(Map<String, Object> tree, String key, @Nullable Object value) {
        if (value != null) {
            tree.put(key, value);
        }
    }

    private static void putMap(Map<String, Object> tree, String key, Map<String, Object> value) {
        put(tree, key, value.isEmpty() ? null : value);
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
