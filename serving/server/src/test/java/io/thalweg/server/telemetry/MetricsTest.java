package io.thalweg.server.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.testing.Exposition;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleConsumer;
import org.junit.jupiter.api.Test;

class MetricsTest {
    private final Metrics metrics = new Metrics();

    private String text() {
        return new String(metrics.expose(), StandardCharsets.UTF_8);
    }

    private double value(String series) {
        return Exposition.of(text()).value(series);
    }

    @Test
    void counter_valueGrows_isTakenAtEachExposition() {
        AtomicLong events = new AtomicLong(17);
        metrics.counter("events_total", "Events read.", Metrics.labels("view", "demand"), events::get);
        assertThat(text().lines())
                .containsExactly(
                        "# HELP events_total Events read.",
                        "# TYPE events_total counter",
                        "events_total{view=\"demand\"} 17.0");
        events.set(1L << 53);
        assertThat(value("events_total{view=\"demand\"}")).isEqualTo(1L << 53);
    }

    @Test
    void timeSpent_nanos_areSeconds() {
        metrics.timeSpent("busy_seconds_total", "Time.", Metrics.labels(), () -> 1_500_000_000L);
        assertThat(value("busy_seconds_total")).isEqualTo(1.5);
    }

    @Test
    void gauge_nanOrFailing_isLeftOutAndTheOthersStay() {
        metrics.gauge("lag_seconds", "Lag.", Metrics.labels("view", "none"), () -> Double.NaN);
        metrics.gauge("lag_seconds", "Lag.", Metrics.labels("view", "away"), () -> {
            throw new IllegalStateException("the store is away");
        });
        metrics.gauge("lag_seconds", "Lag.", Metrics.labels("view", "well"), () -> -2);
        metrics.counter("rows_total", "Rows.", Metrics.labels(), () -> {
            throw new IllegalStateException("the store is away");
        });
        assertThat(text().lines().filter(line -> !line.startsWith("#")))
                .containsExactly("lag_seconds{view=\"well\"} -2.0");
    }

    @Test
    void register_sameNameAndLabels_replacesTheSupplier() {
        metrics.gauge("size", "Size.", Metrics.labels("a", "1", "b", "2"), () -> 3);
        metrics.gauge("size", "Size.", Metrics.labels("b", "2", "a", "1"), () -> 4);
        assertThat(text().lines().filter(line -> !line.startsWith("#"))).containsExactly("size{a=\"1\",b=\"2\"} 4.0");
    }

    @Test
    void histogram_values_fallIntoTheFirstBucketThatHoldsThem() {
        DoubleConsumer seconds =
                metrics.histogram("took_seconds", "Time.", Metrics.labels("view", "demand"), 0.5, 1, 5);
        for (double value : new double[] {0.5, 0.25, 0.75, 9}) {
            seconds.accept(value);
        }
        assertThat(text().lines())
                .containsExactly(
                        "# HELP took_seconds Time.",
                        "# TYPE took_seconds histogram",
                        "took_seconds_bucket{view=\"demand\",le=\"0.5\"} 2",
                        "took_seconds_bucket{view=\"demand\",le=\"1.0\"} 3",
                        "took_seconds_bucket{view=\"demand\",le=\"5.0\"} 3",
                        "took_seconds_bucket{view=\"demand\",le=\"+Inf\"} 4",
                        "took_seconds_count{view=\"demand\"} 4",
                        "took_seconds_sum{view=\"demand\"} 10.5");
    }

    @Test
    void collect_seriesOfTheMoment_areExposedOnlyWhileTheyExist() {
        AtomicLong lanes = new AtomicLong(2);
        metrics.collect(now -> {
            for (long lane = 0; lane < lanes.get(); lane++) {
                now.gauge("inflight", "Calls.", Metrics.labels("lane", "l" + lane), () -> 7);
            }
        });
        assertThat(value("inflight{lane=\"l1\"}")).isEqualTo(7);
        lanes.set(1);
        assertThat(value("inflight{lane=\"l0\"}")).isEqualTo(7);
        assertThat(value("inflight{lane=\"l1\"}")).isNaN();
    }

    @Test
    void labels_quotesBackslashesAndLines_areEscaped() {
        metrics.gauge("size", "One\nline \\.", Metrics.labels("name", "a\"b\\c\nd"), () -> 1);
        assertThat(text().lines()).contains("# HELP size One\\nline \\\\.", "size{name=\"a\\\"b\\\\c\\nd\"} 1.0");
    }

    @Test
    void register_refusedByPrometheus_namesTheRule() {
        metrics.counter("rows_total", "Rows.", Metrics.labels("view", "a"), () -> 1);
        assertThatThrownBy(() -> metrics.gauge("rows_total", "Rows.", Metrics.labels("view", "a"), () -> 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("metric rows_total is a counter, not a gauge");
        assertThatThrownBy(() -> metrics.counter("rows_total", "Rows.", Metrics.labels("table", "a"), () -> 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("metric rows_total has the labels [view], not [table]");
        assertThatThrownBy(() -> metrics.counter("rows", "Rows.", Metrics.labels(), () -> 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ends in _total");
        assertThatThrownBy(() -> metrics.gauge("rows of demand", "Rows.", Metrics.labels(), () -> 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("letters, digits and _");
        assertThatThrownBy(() -> Metrics.labels("view"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("pairs");
    }

    @Test
    void process_javaMachineAndProcess_areExposed() {
        metrics.process();
        Exposition exposed = Exposition.of(text());
        assertThat(exposed.value("process_start_time_seconds")).isPositive();
        assertThat(exposed.value("process_cpu_seconds_total")).isNotNegative();
        assertThat(exposed.value("jvm_memory_used_bytes{area=\"heap\"}")).isPositive();
        assertThat(exposed.value("jvm_threads_current")).isPositive();
        assertThat(exposed.series().keySet())
                .anyMatch(series -> series.startsWith("jvm_gc_collection_seconds_count{"))
                .anyMatch(series -> series.startsWith("jvm_runtime_info{"));
    }
}
