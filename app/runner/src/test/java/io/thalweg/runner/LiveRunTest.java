package io.thalweg.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.formats.view.EventOutcome;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.ViewMetrics;
import io.thalweg.model.Definitions;
import io.thalweg.model.view.FeatureView;
import java.time.Instant;
import java.util.UUID;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.Test;

class LiveRunTest {
    static final FeatureView VIEW = Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: demand
                    source: {topic: events}
                    entities: [{name: cell, h3: {cell: c, resolution: 9}}]
                    measure: {count: all}
                    rings: [0]
                    windows: {sizes: [1m], every: 1m}
                    """, "view.yaml").views().get(0);

    private final String job = UUID.randomUUID().toString();
    private final ViewMetrics counts = new ViewMetrics(job, VIEW, "route", 0, new UnregisteredMetricsGroup());
    private final JobMetrics.View metrics = JobMetrics.of(job).view("demand");

    private String line(String now) {
        Instant instant = Instant.parse(now);
        return LiveRun.line(VIEW, metrics, () -> instant);
    }

    @Test
    void line_noEventTimeYet_saysWhetherEventsWereLate() {
        counts.count(EventOutcome.BAD, 2);
        assertThat(line("2026-11-29T12:00:00Z")).isEqualTo("demand: 2 events, none of them with a valid event time");

        counts.count(EventOutcome.LATE, 44);
        assertThat(line("2026-11-29T12:00:00Z")).isEqualTo("demand: 46 events, none of them in time, 44 late");
    }

    @Test
    void line_watermarkOfAnotherDay_hasItsDate() {
        counts.count(EventOutcome.ACCEPTED, 3);
        long watermarkMs = Instant.parse("2026-11-28T23:59:00Z").toEpochMilli();
        metrics.seen(watermarkMs);
        metrics.watermarkReached(watermarkMs);
        metrics.rows(1_200);

        assertThat(line("2026-11-28T23:59:59Z")).isEqualTo("demand: 3 events, 1,200 rows, watermark 23:59:00");
        assertThat(line("2026-11-29T00:00:00Z"))
                .isEqualTo("demand: 3 events, 1,200 rows, watermark 2026-11-28 23:59:00");
    }
}
