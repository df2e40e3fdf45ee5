package io.thalweg.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.ViewMetrics;
import io.thalweg.jobs.stream.StreamAccount;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.testing.Exposition;
import io.thalweg.warehouse.RetryCause;
import java.util.List;
import java.util.UUID;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JobSeriesTest {
    private static final FeatureView VIEW = LiveRunTest.VIEW;

    private final String job = UUID.randomUUID().toString();
    private final Metrics metrics = new Metrics();

    @BeforeEach
    void register() {
        JobSeries.register(metrics, List.of(VIEW), JobMetrics.of(job));
    }

    private ViewMetrics attempt() {
        return new ViewMetrics(job, VIEW, "route", 0, new UnregisteredMetricsGroup());
    }

    private double sample(String series) {
        return Exposition.of(metrics.expose()).value(series);
    }

    /** Prometheus takes a counter that falls for one that began at 0, and adds all of it to {@code increase} again. */
    @Test
    void events_jobGoesBackToItsCheckpoint_seriesWaitUntilTheCountIsThereAgain() {
        String accepted = "thalweg_events_total{view=\"demand\",outcome=\"accepted\"}";
        String cell = "thalweg_bad_events_total{view=\"demand\",reason=\"cell\"}";
        ViewMetrics failed = attempt();
        failed.count(EventOutcome.ACCEPTED, 7);
        List<Tuple3<String, String, Long>> checkpoint = failed.snapshot();
        failed.count(EventOutcome.ACCEPTED, 3);
        failed.bad(BadReason.CELL);
        assertThat(sample(accepted)).isEqualTo(10);
        assertThat(sample(cell)).isEqualTo(1);

        ViewMetrics next = attempt();
        assertThat(sample(accepted)).isEqualTo(10);
        next.restore(checkpoint);
        assertThat(sample(accepted)).isEqualTo(10);
        assertThat(sample(cell)).isEqualTo(1);
        next.count(EventOutcome.ACCEPTED, 3);
        next.bad(BadReason.CELL);
        assertThat(sample(accepted)).isEqualTo(10);
        next.count(EventOutcome.ACCEPTED, 1);
        assertThat(sample(accepted)).isEqualTo(11);
        assertThat(sample(cell)).isEqualTo(1);
    }

    @Test
    void retries_ofAWarehouse_areShownByTheirCause() {
        Metrics ingest = new Metrics();
        StreamAccount streams = StreamAccount.of(UUID.randomUUID().toString());
        JobSeries.register(ingest, "rides", streams);
        streams.retries().add(RetryCause.QUOTA);
        streams.retries().add(RetryCause.QUOTA);
        streams.retries().add(RetryCause.REFUSED_ROWS);

        String series = "thalweg_ingest_retries_total{ingest=\"rides\",cause=\"%s\"}";
        Exposition shown = Exposition.of(ingest.expose());
        assertThat(shown.value(series.formatted("quota"))).isEqualTo(2);
        assertThat(shown.value(series.formatted("refused_rows"))).isEqualTo(1);
        assertThat(shown.value(series.formatted("unavailable"))).isZero();
    }
}
