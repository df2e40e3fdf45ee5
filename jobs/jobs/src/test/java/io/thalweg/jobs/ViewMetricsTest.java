package io.thalweg.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;

class ViewMetricsTest {
    private static final FeatureView VIEW =
            Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: demand
                    version: 2
                    source: {topic: events}
                    entities:
                      - {name: cell, h3: {cell: c, resolution: 9}}
                    measure: {count: all}
                    rings: [0]
                    windows: {sizes: [1m], every: 1m}
                    """, "demand.yaml").views().get(0);

    /** Keeps counters by their names. */
    private static final class Group extends UnregisteredMetricsGroup {
        private final String path;
        private final Map<String, Counter> counters;

        Group(String path, Map<String, Counter> counters) {
            this.path = path;
            this.counters = counters;
        }

        @Override
        public MetricGroup addGroup(String name) {
            return new Group(path + name + ".", counters);
        }

        @Override
        public MetricGroup addGroup(String key, String value) {
            return new Group(path + key + "=" + value + ".", counters);
        }

        @Override
        public Counter counter(String name) {
            Counter counter = super.counter(name);
            assertThat(counters.put(path + name, counter))
                    .as("registered twice")
                    .isNull();
            return counter;
        }
    }

    private final Map<String, Counter> flink = new HashMap<>();
    private final String job = UUID.randomUUID().toString();
    private final ViewMetrics counts = new ViewMetrics(job, VIEW, "route", 0, new Group("", flink));

    private long flink(String name) {
        return flink.getOrDefault("thalweg.view=demand_v2." + name, new Group("", new HashMap<>()).counter("none"))
                .getCount();
    }

    @Test
    void count_outcomesAndReasons_standInTheProcessAndWithFlink() {
        counts.count(EventOutcome.ACCEPTED, 10);
        counts.count(EventOutcome.ACCEPTED, 5);
        counts.count(EventOutcome.BAD, 1);
        counts.bad(BadReason.CELL);
        counts.sent(7);

        JobMetrics.View process = JobMetrics.of(job).view("demand_v2");
        assertThat(process.outcome(EventOutcome.ACCEPTED)).isEqualTo(15);
        assertThat(process.badCount(BadReason.CELL)).isEqualTo(1);
        assertThat(process.sent()).isEqualTo(7);
        assertThat(flink("outcome=accepted.events")).isEqualTo(15);
        assertThat(flink("outcome=bad.events")).isEqualTo(1);
        assertThat(flink("reason=cell.bad_events")).isEqualTo(1);
        assertThat(flink("events_sent")).isEqualTo(7);
    }

    @Test
    void count_twoSubtasks_flinkHasEachAndTheProcessTheSum() {
        Map<String, Counter> others = new HashMap<>();
        new ViewMetrics(job, VIEW, "route", 1, new Group("", others)).count(EventOutcome.SKIPPED, 2);
        counts.count(EventOutcome.SKIPPED, 3);

        assertThat(JobMetrics.of(job).view("demand_v2").outcome(EventOutcome.SKIPPED))
                .isEqualTo(5);
        assertThat(flink("outcome=skipped.events")).isEqualTo(3);
    }

    @Test
    void lateIdleDropped_acceptedBefore_isLateAfterAll() {
        counts.count(EventOutcome.ACCEPTED, 3);
        counts.lateIdleDropped(1);

        assertThat(flink("outcome=accepted.events")).isEqualTo(2);
        assertThat(flink("outcome=late.events")).isEqualTo(1);
        assertThat(flink("reason=late_idle.bad_events")).isEqualTo(1);
        assertThat(JobMetrics.of(job).view("demand_v2").outcome(EventOutcome.LATE))
                .isEqualTo(1);
    }

    @Test
    void restore_checkpointOfTwoSubtasks_goesOnFromTheirSum() {
        counts.count(EventOutcome.ACCEPTED, 10);
        counts.count(EventOutcome.BAD, 2);
        counts.bad(BadReason.CELL);
        ViewMetrics other = new ViewMetrics(job, VIEW, "route", 1, new Group("", new HashMap<>()));
        other.count(EventOutcome.ACCEPTED, 5);
        List<Tuple3<String, String, Long>> kept = new ArrayList<>(counts.snapshot());
        kept.addAll(other.snapshot());
        kept.add(Tuple3.of("another", "outcome=accepted", 100L));
        counts.count(EventOutcome.ACCEPTED, 1); // is read again

        String restarted = UUID.randomUUID().toString();
        Map<String, Counter> fresh = new HashMap<>();
        ViewMetrics one = new ViewMetrics(restarted, VIEW, "route", 0, new Group("", fresh));
        one.restore(kept);
        one.count(EventOutcome.ACCEPTED, 1);

        JobMetrics.View process = JobMetrics.of(restarted).view("demand_v2");
        assertThat(process.outcome(EventOutcome.ACCEPTED)).isEqualTo(16);
        assertThat(process.outcome(EventOutcome.BAD)).isEqualTo(2);
        assertThat(process.badCount(BadReason.CELL)).isEqualTo(1);
        assertThat(process.events()).isEqualTo(18);
        assertThat(Objects.requireNonNull(fresh.get("thalweg.view=demand_v2.outcome=accepted.events"))
                        .getCount())
                .isEqualTo(16);
    }

    @Test
    void new_sameSubtaskAgain_replacesWhatItHadCounted() {
        counts.count(EventOutcome.ACCEPTED, 10);
        ViewMetrics again = new ViewMetrics(job, VIEW, "route", 0, new Group("", new HashMap<>()));
        again.count(EventOutcome.ACCEPTED, 3);

        assertThat(JobMetrics.of(job).view("demand_v2").outcome(EventOutcome.ACCEPTED))
                .isEqualTo(3);
    }

    @Test
    void outcomes_beforeTheFirstEvent_areThere() {
        assertThat(flink.keySet())
                .containsExactlyInAnyOrder(
                        "thalweg.view=demand_v2.events_sent",
                        "thalweg.view=demand_v2.outcome=accepted.events",
                        "thalweg.view=demand_v2.outcome=skipped.events",
                        "thalweg.view=demand_v2.outcome=bad.events",
                        "thalweg.view=demand_v2.outcome=late.events",
                        "thalweg.view=demand_v2.outcome=tombstone.events");
    }
}
