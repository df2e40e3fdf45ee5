package io.thalweg.bench.demand;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.bench.soak.Series;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SoakSeriesTest {
    private static final Load LOAD = Load.of("medium");

    private static ProcessMonitor.Look look(int second, double cpuSeconds, long lagEvents) {
        return new ProcessMonitor.Look(1_000L * second, cpuSeconds, lagEvents, 0, 1, 1);
    }

    private static Series series(SoakSeries of, String name) {
        return of.all().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<Double> values(Series series) {
        return series.points().stream().map(Series.Point::value).toList();
    }

    /** All work is done in the first ten seconds of each minute, so most samples see none. */
    @Test
    void cores_workOnceAMinute_areItsMean() {
        List<ProcessMonitor.Look> looks = IntStream.rangeClosed(0, 60)
                .mapToObj(i -> look(10 * i, 6 * ((i + 5) / 6), 0))
                .toList();
        Series cores = series(new SoakSeries(0, 600_001).looks(looks, LOAD), "cores");
        assertThat(cores.points()).hasSize(55);
        assertThat(values(cores)).containsOnly(0.1);
    }

    @Test
    void cores_looksRarerThanMinutes_areThoseBetweenTwo() {
        List<ProcessMonitor.Look> looks = List.of(look(0, 0, 0), look(90, 9, 0), look(180, 27, 0));
        assertThat(values(series(new SoakSeries(0, 200_000).looks(looks, LOAD), "cores")))
                .containsExactly(0.1, 0.2);
    }

    @Test
    void lag_events_isTheSecondsTheyTakeToCome() {
        List<ProcessMonitor.Look> looks = List.of(look(5, 0, 24_000));
        Series lag = series(new SoakSeries(0, 10_000).looks(looks, LOAD), "lag_seconds");
        assertThat(lag.points()).containsExactly(new Series.Point(5, 2));
    }

    @Test
    void latency_windowEnds_fromPassedToReachedWithinTheSpan() {
        Map<Long, Long> reached = Map.of(60L, 3_500L, 120L, 5_250L);
        Series latency = series(
                new SoakSeries(2_000, 9_000)
                        .latency(
                                "assembled_ms",
                                new TreeMap<>(Map.of(0L, 1_000L, 60L, 3_000L, 120L, 5_000L)),
                                end -> reached.getOrDefault(end, 0L)),
                "assembled_ms");
        assertThat(latency.points()).containsExactly(new Series.Point(1, 500), new Series.Point(3, 250));
    }

    @Test
    void heap_collections_liveOnesAreTheFullThatWereAskedFor() {
        GcLog log = new GcLog(List.of(
                new GcLog.Pause(1_000, "Young (Allocation Failure)", 9, 5, 1),
                new GcLog.Pause(2_000, "Young (Diagnostic Command)", 6, 4, 1),
                new GcLog.Pause(2_100, "Full (Diagnostic Command)", 4, 3, 1)));
        SoakSeries heap = new SoakSeries(0, 3_000).heap(log);
        assertThat(values(series(heap, "heap_live_bytes"))).containsExactly(3.0);
        assertThat(values(series(heap, "heap_after_gc_bytes"))).containsExactly(5.0);
    }
}
