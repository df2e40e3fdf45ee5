package io.thalweg.server.telemetry;

import io.thalweg.qalm.Call;
import io.thalweg.qalm.CallerSnapshot;
import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.LaneSnapshot;
import io.thalweg.qalm.LevelCounts;
import io.thalweg.qalm.Observer;
import io.thalweg.qalm.Outcome;
import io.thalweg.qalm.Qalm;
import io.thalweg.qalm.Refusal;
import io.thalweg.qalm.live.LiveQalm;
import io.thalweg.qalm.registry.Registry;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.DoubleConsumer;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code qos_…}: the metrics of load management, by endpoint, level and caller. Of each endpoint's callers, the
 * {@value #CALLERS_MAX} with the most calls when they were first collected keep their names; all others are {@code other}, which
 * bounds the number of series.
 */
public final class QalmMetrics implements Observer {
    private static final Logger LOG = LoggerFactory.getLogger(QalmMetrics.class);
    private static final int CALLERS_MAX = 50;
    private static final String OTHERS = "other";
    private static final double[] BOUNDS = {
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
    };

    private final Metrics metrics;
    private final ConcurrentHashMap<String, Times> times = new ConcurrentHashMap<>();
    // The fields below are guarded by the lock of collect.
    private final Map<String, Set<String>> named = new HashMap<>();
    private final Map<String, Long> others = new HashMap<>();

    public QalmMetrics(Metrics metrics) {
        this.metrics = metrics;
    }

    private record Times(DoubleConsumer[] queued, DoubleConsumer[] served) {}

    @Override
    public void released(String endpoint, Call call, Outcome outcome, long queueNanos, long serviceNanos) {
        Times here = times.get(endpoint);
        if (here == null) {
            here = times.computeIfAbsent(endpoint, this::newTimes);
        }
        int level = call.criticality().level();
        here.queued[level].accept(queueNanos / 1e9);
        here.served[level].accept(serviceNanos / 1e9);
    }

    private Times newTimes(String endpoint) {
        return new Times(
                histograms("qos_queue_delay_seconds", "Time that admitted calls waited.", endpoint),
                histograms("qos_service_seconds", "Time that admitted calls took, without the wait.", endpoint));
    }

    private DoubleConsumer[] histograms(String name, String help, String endpoint) {
        Criticality[] levels = Criticality.values();
        DoubleConsumer[] histograms = new DoubleConsumer[levels.length];
        for (Criticality level : levels) {
            histograms[level.level()] = metrics.histogram(name, help, labels(endpoint, level), BOUNDS);
        }
        return histograms;
    }

    @Override
    public void failed(String endpoint, RuntimeException failure) {
        LOG.error("load management failed at {}; the call went through", endpoint, failure);
    }

    private static Map<String, String> labels(String endpoint, Criticality level) {
        return Metrics.labels("endpoint", endpoint, "level", Integer.toString(level.level()));
    }

    /** Registers the current figures. */
    public synchronized void collect(LiveQalm live, Metrics now) {
        for (LaneSnapshot lane : live.qalm().snapshot()) {
            lane(lane, now);
            requests(lane, now);
            callers(lane, now);
            LaneSnapshot shadow = live.qalm().lane(lane.endpoint()).shadowSnapshot();
            if (shadow != null) {
                shadow(shadow, now);
            }
        }
        process(live.qalm(), now);
        live.registry().ifPresent(registry -> registry(registry, now));
    }

    private static void process(Qalm qalm, Metrics now) {
        Map<String, String> none = Metrics.labels();
        now.gauge("qos_slots", "Calls worked on at a time, of all endpoints together.", none, qalm::slots);
        now.gauge("qos_slots_free", "Slots that no lane occupies.", none, qalm::slotsFree);
        now.gauge(
                "qos_lateness_seconds",
                "How late threads get a processor, mean of a second or so.",
                none,
                () -> qalm.latenessNanos() / 1e9);
        now.counter("qos_pauses_total", "Times that the process stood still for more than 10 ms.", none, qalm::pauses);
        qalm.pressures()
                .forEach((signal, pressure) -> now.gauge(
                        "qos_pressure",
                        "Signs of overload of the process, 0 to 1; above 0.6 level 3 is refused.",
                        Metrics.labels("signal", signal),
                        () -> pressure));
    }

    private static void lane(LaneSnapshot lane, Metrics now) {
        Map<String, String> at = Metrics.labels("endpoint", lane.endpoint());
        now.gauge("qos_overloaded", "1 while calls wait too long.", at, () -> lane.overloaded() ? 1 : 0);
        now.gauge("qos_inflight", "Calls under way.", at, lane::inflight);
        now.gauge("qos_waiting", "Calls in the queue.", at, lane::waiting);
        now.gauge("qos_limit", "Calls under way at most.", at, lane::limit);
        now.gauge("qos_reserved", "Slots that it keeps to itself, used or not.", at, lane::reserved);
        now.gauge("qos_borrowed", "Slots that it holds beyond those.", at, lane::borrowed);
        now.gauge("qos_threshold_rank", "Ranks above are refused on arrival; 512 = none.", at, lane::thresholdRank);
        now.gauge("qos_capacity_rps", "Calls a second that it can do.", at, lane::capacityPerSecond);
        now.gauge("qos_offered_rps", "Calls a second that came, refused ones included.", at, lane::offeredPerSecond);
        now.gauge("qos_never_drop_rps", "Those of levels 0 and 1.", at, lane::neverDropPerSecond);
        now.gauge("qos_shed_ratio", "Part of the calls of the last second that was shed.", at, lane::shedRatio);
        now.gauge(
                "qos_min_delay_seconds",
                "Shortest wait of the calls of the last 100 ms.",
                at,
                () -> lane.minDelay().toNanos() / 1e9);
        now.gauge(
                "qos_delay_threshold_seconds",
                "Waiting that counts as overload.",
                at,
                () -> lane.delayThreshold().toNanos() / 1e9);
        now.counter("qos_passed_total", "Calls that went through unmanaged.", at, lane::passed);
        now.counter("qos_failures_total", "Failures of load management itself.", at, lane::failures);
    }

    private static void requests(LaneSnapshot lane, Metrics now) {
        lane.levels().forEach((level, counts) -> {
            counts.outcomes().forEach((outcome, count) -> request(lane, level, word(outcome), count, now));
            counts.refusals()
                    .forEach((reason, count) ->
                            request(lane, level, reason.name().toLowerCase(Locale.ROOT), count, now));
        });
    }

    private static String word(Outcome outcome) {
        return outcome == Outcome.SUCCESS ? "ok" : outcome.name().toLowerCase(Locale.ROOT);
    }

    private static void request(LaneSnapshot lane, Criticality level, String outcome, long count, Metrics now) {
        Map<String, String> labels = Metrics.labels(
                "endpoint", lane.endpoint(), "level", Integer.toString(level.level()), "outcome", outcome);
        now.counter("qos_requests_total", "Calls by what became of them.", labels, () -> count);
    }

    private void callers(LaneSnapshot lane, Metrics now) {
        Set<String> names = named.computeIfAbsent(lane.endpoint(), endpoint -> new LinkedHashSet<>());
        lane.callers().stream()
                .sorted(Comparator.comparingLong(CallerSnapshot::admitted).reversed())
                .map(CallerSnapshot::caller)
                .filter(name -> !name.equals(OTHERS))
                .limit(CALLERS_MAX)
                .forEach(name -> {
                    if (names.size() < CALLERS_MAX) {
                        names.add(name);
                    }
                });
        callers(lane, names, "admitted", CallerSnapshot::admitted, now);
        callers(lane, names, "shed", CallerSnapshot::shed, now);
        callers(lane, names, "demoted", CallerSnapshot::demoted, now);
    }

    private void callers(
            LaneSnapshot lane, Set<String> names, String outcome, ToLongFunction<CallerSnapshot> count, Metrics now) {
        long rest = 0;
        for (CallerSnapshot caller : lane.callers()) {
            if (names.contains(caller.caller())) {
                caller(lane, caller.caller(), outcome, count.applyAsLong(caller), now);
            } else {
                rest += count.applyAsLong(caller);
            }
        }
        // Silent callers are forgotten, but a counter must not decrease when that happens.
        long never = others.merge(lane.endpoint() + " " + outcome, rest, Math::max);
        caller(lane, OTHERS, outcome, never, now);
    }

    private static void caller(LaneSnapshot lane, String caller, String outcome, long count, Metrics now) {
        Map<String, String> labels = Metrics.labels("endpoint", lane.endpoint(), "caller", caller, "outcome", outcome);
        now.counter("qos_caller_requests_total", "Calls by who called.", labels, () -> count);
    }

    private static void shadow(LaneSnapshot shadow, Metrics now) {
        shadow.levels().forEach((level, counts) -> {
            for (Refusal reason : Refusal.values()) {
                if (reason.shed()) {
                    wouldShed(shadow, level, reason, counts, now);
                }
            }
        });
    }

    private static void wouldShed(
            LaneSnapshot shadow, Criticality level, Refusal reason, LevelCounts counts, Metrics now) {
        Map<String, String> labels = Metrics.labels(
                "endpoint",
                shadow.endpoint(),
                "level",
                Integer.toString(level.level()),
                "outcome",
                reason.name().toLowerCase(Locale.ROOT));
        now.counter(
                "qos_shadow_would_shed_total",
                "Calls that shadow mode would have refused.",
                labels,
                () -> counts.refused(reason));
    }

    private static void registry(Registry registry, Metrics now) {
        Map<String, String> none = Metrics.labels();
        now.gauge("qos_config_version", "Version of the rules in force.", none, registry::version);
        now.gauge(
                "qos_config_age_seconds",
                "How long they have been in force.",
                none,
                () -> registry.age().toSeconds());
        now.gauge(
                "qos_config_problem",
                "1 while a source of rules is not in force.",
                none,
                () -> registry.problem().isPresent() ? 1 : 0);
    }
}
