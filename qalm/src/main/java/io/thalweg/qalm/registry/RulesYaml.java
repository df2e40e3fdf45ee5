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
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** {@link Rules} as YAML 1.2, both ways; what is written reads back the same. The keys are in {@code docs/reference/qalm.md}. */
public final class RulesYaml {
    private static final String LEARNED = "learned";

    private RulesYaml() {}

    /**
     * Reads a document.
     *
     * @param name what messages call it
     * @throws RulesException with all problems
     */
    public static Rules parse(String name, String text) {
        List<String> problems = new ArrayList<>();
        Object tree = tree(name, text);
        Rules rules = rules(new YamlSection("", tree, problems));
        if (!problems.isEmpty()) {
            throw new RulesException(name, problems);
        }
        return rules;
    }

    static Object tree(String name, String text) {
        try {
            Object tree = new Load(LoadSettings.builder().setLabel(name).build()).loadFromString(text);
            if (tree != null) {
                return tree;
            }
        } catch (YamlEngineException e) {
            throw new RulesException(name, List.of("no YAML: " + e.getMessage()));
        }
        // Half-written files are empty for a moment; that must not mean "no rules".
        throw new RulesException(name, List.of("is empty; {} would mean no rules"));
    }

    static Rules rules(YamlSection section) {
        Rules rules = new Rules(
                section.choice("mode", Mode.class, Mode.ON),
                section.sections("callers", RulesYaml::caller),
                section.sections("endpoints", RulesYaml::endpoint));
        section.noOtherKeys();
        return rules;
    }

    private static CallerPolicy caller(YamlSection section) {
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

    private static int weight(@Nullable Integer said) {
        return said == null ? CallerPolicy.DEFAULT.weight() : said;
    }

    private static Rules.Endpoint endpoint(YamlSection section) {
        Rules.Endpoint endpoint = new Rules.Endpoint(
                section.checked(LaneConfig.DEFAULT, () -> lane(section)),
                section.has("criticality") ? section.section("criticality").criticality() : null,
                section.sections("callers", RulesYaml::caller));
        section.noOtherKeys();
        return endpoint;
    }

    private static LaneConfig lane(YamlSection section) {
        LaneConfig usual = LaneConfig.DEFAULT;
        Duration deadline = section.duration("deadline");
        Integer waitingMax = section.integer("waiting_max");
        return new LaneConfig(
                section.choice("mode", Mode.class, usual.mode()),
                section.choice("never_drop", NeverDrop.class, usual.neverDrop()),
                deadline == null ? usual.deadline() : deadline,
                section.integer("reserve"),
                section.integer("limit"),
                section.duration("delay"),
                section.duration("max_healthy_service_time"),
                waitingMax == null ? usual.waitingMax() : waitingMax);
    }

    /** The document as text. */
    public static String write(Rules rules) {
        return dump(tree(rules));
    }

    static String dump(Map<String, Object> tree) {
        DumpSettings settings =
                DumpSettings.builder().setDefaultFlowStyle(FlowStyle.BLOCK).build();
        return new Dump(settings).dumpToString(tree);
    }

    /** The document as nested maps of text, numbers and booleans, in the order in which it is written: for other notations. */
    public static Map<String, Object> tree(Rules rules) {
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
        LaneConfig usual = LaneConfig.DEFAULT;
        Map<String, Object> tree = new LinkedHashMap<>();
        put(
                tree,
                "criticality",
                endpoint.criticality() == null ? null : endpoint.criticality().level());
        put(tree, "mode", lane.mode() == usual.mode() ? null : word(lane.mode()));
        put(tree, "never_drop", lane.neverDrop() == usual.neverDrop() ? null : word(lane.neverDrop()));
        put(tree, "deadline", lane.deadline().equals(usual.deadline()) ? null : DurationText.write(lane.deadline()));
        put(tree, "reserve", lane.reserve());
        put(tree, "limit", lane.limit());
        put(tree, "delay", lane.delay() == null ? null : DurationText.write(lane.delay()));
        Duration healthy = lane.maxHealthyServiceTime();
        put(tree, "max_healthy_service_time", healthy == null ? null : DurationText.write(healthy));
        put(tree, "waiting_max", lane.waitingMax() == usual.waitingMax() ? null : lane.waitingMax());
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
