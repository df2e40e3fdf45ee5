package io.thalweg.server.admin;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thalweg.qalm.CallerPolicy;
import io.thalweg.qalm.CallerSnapshot;
import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.LaneSnapshot;
import io.thalweg.qalm.LevelCounts;
import io.thalweg.qalm.Qalm;
import io.thalweg.qalm.registry.Change;
import io.thalweg.qalm.registry.InForce;
import io.thalweg.qalm.registry.Registry;
import io.thalweg.qalm.registry.Rules;
import io.thalweg.qalm.registry.RulesTree;
import io.thalweg.server.http.AnswerJson;
import io.thalweg.server.telemetry.RecentTimes;
import io.thalweg.server.telemetry.RecentTimes.Percentiles;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes the answers of the admin port. Unknown numbers are null. */
final class AdminAnswers {
    private static final JsonMapper JSON = new JsonMapper();

    private AdminAnswers() {}

    static ObjectNode rules(Registry registry) {
        InForce inForce = registry.inForce();
        ObjectNode answer = AnswerJson.object();
        answer.put("version", inForce.version());
        answer.put("author", inForce.author());
        answer.put("since", inForce.since().toString());
        answer.put("problem", registry.problem().orElse(null));
        answer.set("rules", JSON.valueToTree(RulesTree.of(inForce.rules())));
        return answer;
    }

    static ObjectNode audit(List<Change> trail, int limit) {
        ObjectNode answer = AnswerJson.object();
        ArrayNode changes = answer.putArray("changes");
        for (int i = trail.size() - 1; i >= Math.max(0, trail.size() - limit); i--) {
            Change change = trail.get(i);
            ObjectNode node = changes.addObject();
            node.put("version", change.version());
            node.put("time", change.time().toString());
            node.put("author", change.author());
            change.details().forEach(node.putArray("details")::add);
        }
        return answer;
    }

    /** Creates an object with the fields that all endpoints share. */
    static ObjectNode process(Qalm qalm) {
        ObjectNode node = AnswerJson.object();
        node.put("slots", qalm.slots());
        node.put("slots_free", qalm.slotsFree());
        node.put("lateness_ms", qalm.latenessNanos() / 1e6);
        node.put("pauses", qalm.pauses());
        ObjectNode pressures = node.putObject("pressures");
        qalm.pressures().forEach((signal, pressure) -> number(pressures, signal, pressure));
        return node;
    }

    /** Returns one endpoint: the state of its lane, and what the lane would have done in shadow mode if it ever was in that mode. */
    static ObjectNode endpoint(
            LaneSnapshot lane, @Nullable LaneSnapshot shadow, Rules rules, RecentTimes times, int callersMax) {
        ObjectNode node = AnswerJson.object();
        node.put("endpoint", lane.endpoint());
        node.put("mode", lane.mode().name().toLowerCase(Locale.ROOT));
        node.put("overloaded", lane.overloaded());
        node.put("inflight", lane.inflight());
        node.put("waiting", lane.waiting());
        node.put("limit", lane.limit());
        node.put("reserved", lane.reserved());
        node.put("borrowed", lane.borrowed());
        node.put("threshold_rank", lane.thresholdRank());
        number(node, "capacity_per_second", lane.capacityPerSecond());
        number(node, "offered_per_second", lane.offeredPerSecond());
        number(node, "never_drop_per_second", lane.neverDropPerSecond());
        number(node, "never_drop_share", lane.neverDropShare());
        number(node, "shed_ratio", lane.shedRatio());
        number(node, "min_delay_ms", lane.minDelay().toNanos() / 1e6);
        number(node, "delay_threshold_ms", lane.delayThreshold().toNanos() / 1e6);
        number(node, "mean_service_ms", lane.meanServiceTime().toNanos() / 1e6);
        node.set("waited_ms", percentiles(times.waited(lane.endpoint())));
        node.set("latency_ms", percentiles(times.taken(lane.endpoint())));
        node.put("served", served(lane));
        node.put("shed", lane.shed());
        node.put("passed", lane.passed());
        node.put("failures", lane.failures());
        levels(node.putArray("levels"), lane);
        node.put("callers_total", lane.callers().size());
        callers(node.putArray("callers"), lane, rules, times, callersMax);
        node.set("shadow", shadow == null || calls(shadow) == 0 ? JSON.nullNode() : shadow(shadow, callersMax));
        return node;
    }

    private static void number(ObjectNode node, String name, double value) {
        if (Double.isFinite(value)) {
            node.put(name, value);
        } else {
            node.putNull(name);
        }
    }

    private static ObjectNode percentiles(Percentiles times) {
        ObjectNode node = AnswerJson.object();
        node.put("count", times.count());
        number(node, "p50", times.p50Ms());
        number(node, "p90", times.p90Ms());
        number(node, "p99", times.p99Ms());
        return node;
    }

    private static long served(LaneSnapshot lane) {
        return lane.levels().values().stream().mapToLong(LevelCounts::served).sum();
    }

    private static void levels(ArrayNode levels, LaneSnapshot lane) {
        for (Criticality level : Criticality.values()) {
            LevelCounts counts = lane.level(level);
            ObjectNode node = levels.addObject();
            node.put("level", level.level());
            node.put("served", counts.served());
            node.put("shed", counts.shed());
            counts(node.putObject("outcomes"), counts.outcomes());
            counts(node.putObject("refusals"), counts.refusals());
        }
    }

    private static void counts(ObjectNode node, Map<? extends Enum<?>, Long> counts) {
        counts.forEach((what, count) -> {
            if (count > 0) {
                node.put(what.name().toLowerCase(Locale.ROOT), count);
            }
        });
    }

    private static List<CallerSnapshot> most(LaneSnapshot lane, int callersMax) {
        return lane.callers().stream()
                .sorted(Comparator.comparingLong((CallerSnapshot caller) -> calls(caller))
                        .reversed()
                        .thenComparing(CallerSnapshot::caller))
                .limit(callersMax)
                .toList();
    }

    private static long calls(CallerSnapshot caller) {
        return caller.admitted() + caller.shed();
    }

    private static long calls(LaneSnapshot lane) {
        return lane.callers().stream().mapToLong(caller -> calls(caller)).sum();
    }

    private static void callers(ArrayNode callers, LaneSnapshot lane, Rules rules, RecentTimes times, int callersMax) {
        Rules.Endpoint said = rules.endpoints().get(lane.endpoint());
        var ruled = rules.endpoint(lane.endpoint()).callers();
        for (CallerSnapshot caller : most(lane, callersMax)) {
            CallerPolicy here = said == null ? null : said.callers().get(caller.caller());
            ObjectNode node = callers.addObject();
            node.put("caller", caller.caller());
            // The criticality of its last call, that of the rules, and the one that they set for this very endpoint.
            node.put("criticality", caller.criticality().level());
            node.put("ruled", ruled.apply(caller.caller()).criticality().level());
            node.put("said", here == null ? null : here.criticality().level());
            node.put("served", caller.admitted());
            node.put("shed", caller.shed());
            node.put("never_drop", caller.neverDrop());
            node.put("demoted", caller.demoted());
            number(node, "learned_per_second", caller.learnedPerSecond());
            node.put("heaviness", caller.heaviness());
            node.set("latency_ms", percentiles(times.taken(lane.endpoint(), caller.caller())));
        }
    }

    private static ObjectNode shadow(LaneSnapshot shadow, int callersMax) {
        ObjectNode node = AnswerJson.object();
        node.put("calls", calls(shadow));
        node.put("would_shed", shadow.shed());
        ArrayNode levels = node.putArray("levels");
        for (Criticality level : Criticality.values()) {
            LevelCounts counts = shadow.level(level);
            ObjectNode at = levels.addObject();
            at.put("level", level.level());
            at.put("would_shed", counts.shed());
            counts(at.putObject("refusals"), counts.refusals());
        }
        ArrayNode callers = node.putArray("callers");
        for (CallerSnapshot caller : most(shadow, callersMax)) {
            ObjectNode at = callers.addObject();
            at.put("caller", caller.caller());
            at.put("criticality", caller.criticality().level());
            at.put("calls", calls(caller));
            at.put("would_shed", caller.shed());
        }
        return node;
    }
}
