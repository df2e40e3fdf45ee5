package io.thalweg.bench.qalm;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.bench.harness.Figures;
import io.thalweg.bench.qalm.Tally.Call;
import io.thalweg.bench.qalm.Tally.End;
import org.junit.jupiter.api.Test;

/** Figures of calls, and whether a run counts. */
class TallyTest {
    private final Experiment experiment = Experiment.of("E2", 0.1, 10);

    /** {@code document} has 200 calls that are in time except the middle one, {@code document-staging} has every other one refused. */
    private Figures figures(End middle) {
        Tally tally = new Tally(experiment);
        for (int i = 0; i < 200; i++) {
            double due = i / 20.0;
            End end = i == 100 ? middle : End.OK;
            tally.add(new Call("document", due, end, 1_000L * (i + 1), i == 100));
            tally.add(new Call("document-staging", due, i % 2 == 0 ? End.REFUSED : End.OK, 500, false));
        }
        tally.add(new Call("document", -1, End.OK, 60_000_000, false)); // warm-up
        return tally.figures();
    }

    @Test
    void figures_callsOfTwoCallers_areByWindowAndCaller() {
        Figures figures = figures(End.LATE);
        assertThat(figures.asMap())
                .containsEntry("overload_all_calls", 400L)
                .containsEntry("overload_document_calls", 200L)
                .containsEntry("overload_document_answered", 199L)
                .containsEntry("overload_document_late", 1L)
                .containsEntry("overload_document_lost_sent_late", 1L)
                .containsEntry("overload_document_staging_refused", 100L)
                .containsEntry("after_all_calls", 0L);
        assertThat(figures.get("overload_document_p99_ms").doubleValue()).isBetween(198.5, 199.5);
        assertThat(figures.get("overload_document_max_ms").doubleValue()).isBetween(199.5, 200.5);
        assertThat(figures(End.OK).get("overload_document_lost_sent_late"))
                .as("sent late, but not lost")
                .isEqualTo(0L);
    }

    private String difference(Figures figures, double lagMs, double serverCores, double othersCores, long unanswered) {
        return QalmRun.difference(
                figures.put("send_lag_p99_ms", lagMs)
                        .put("server_cores", serverCores)
                        .put("others_cores_max", othersCores)
                        .put("calls_unanswered", unanswered),
                experiment);
    }

    @Test
    void difference_refusedAndLateCalls_countsTheRun() {
        assertThat(difference(figures(End.LATE), 5, 0.9, 0.5, 0)).isEmpty();
    }

    @Test
    void difference_whatMakesARunInvalid_namesFigureAndLimit() {
        assertThat(difference(figures(End.OK), 5.1, 0.5, 0.1, 0))
                .isEqualTo("calls were sent late (send_lag_p99_ms 5.1, at most 5.0)");
        assertThat(difference(figures(End.OK), 1, 0.95, 0.1, 0)).contains("server_cores 0.95");
        assertThat(difference(figures(End.OK), 1, 0.5, 0.6, 0))
                .isEqualTo("other processes used the machine (others_cores_max 0.6, at most 0.5)");
        assertThat(difference(figures(End.OK), 1, 0.5, 0.1, 3)).contains("calls_unanswered 3.0");
        assertThat(difference(figures(End.FAILED), 1, 0.5, 0.6, 0))
                .contains("others_cores_max")
                .contains("overload_all_failed 1.0");
    }

    /** Without protection, calls take half a minute and tens of thousands of them are open, so the load is some milliseconds late. */
    @Test
    void difference_lateByAHundredthOfLatencies_countsTheRun() {
        Tally tally = new Tally(experiment);
        tally.add(new Call("document", 1, End.OK, 10_000_000, true));
        assertThat(difference(tally.figures(), 99, 0.5, 0.1, 0)).isEmpty();
        assertThat(difference(tally.figures(), 101, 0.5, 0.1, 0)).contains("send_lag_p99_ms");
    }
}
