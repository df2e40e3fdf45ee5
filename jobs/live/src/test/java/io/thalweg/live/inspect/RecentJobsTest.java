package io.thalweg.live.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.live.inspect.JobState.Checkpoints;
import io.thalweg.live.inspect.JobState.Stage;
import io.thalweg.live.inspect.JobState.Subtask;
import io.thalweg.live.inspect.JobState.Worker;
import io.thalweg.live.inspect.RecentJobs.Recent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A job that is polled every second, with a clock of the test. */
class RecentJobsTest {
    private static final Duration SPAN = Duration.ofSeconds(10);

    private long ms = 1_000_000;
    private long restarts;
    private long runningSinceMs = ms - 1_000;
    private boolean runs = true;
    private boolean reports = true;
    private int reads;
    /** The age of the metrics. */
    private long lateMs;

    private final RecentJobs jobs = new RecentJobs(this::states, SPAN, () -> TimeUnit.MILLISECONDS.toNanos(ms));

    private List<JobState> states() {
        reads++;
        long lived = reports ? ms - lateMs - runningSinceMs + 1 : 0;
        Stage stage = new Stage("s", "read", List.of(new Subtask(lived, 0, 0, 0, lived)));
        Worker worker = new Worker("w", 4, reports ? ms : 0, 0, 1, 100);
        return runs
                ? List.of(new JobState(
                        "1", "job", ms, restarts, List.of(stage), new Checkpoints(0, 0, 0), List.of(worker)))
                : List.of();
    }

    private List<Recent> look() throws Exception {
        ms += 1_000;
        return jobs.look();
    }

    private Recent looked(int times) throws Exception {
        for (int i = 1; i < times; i++) {
            look();
        }
        return look().get(0);
    }

    @Test
    void look_first5Seconds_hasNoSpan() throws Exception {
        assertThat(looked(6).span()).as("the first look has stale metrics").isEmpty();
        assertThat(look().get(0).span())
                .hasValueSatisfying(span -> assertThat(span.seconds()).isEqualTo(5));
    }

    @Test
    void look_longer_keepsTheLastSecondsOnly() throws Exception {
        assertThat(looked(30).span())
                .hasValueSatisfying(span -> assertThat(span.seconds()).isEqualTo(10));
    }

    @Test
    void look_afterAPause_beginsAgain() throws Exception {
        looked(30);
        ms += TimeUnit.MINUTES.toMillis(10);
        assertThat(look().get(0).span()).isEmpty();
    }

    @Test
    void look_metricsOfBeforeThePause_areNotCountedAsSince() throws Exception {
        lateMs = 1_000;
        looked(30);
        ms += TimeUnit.MINUTES.toMillis(10);
        lateMs = TimeUnit.MINUTES.toMillis(10);
        look();
        lateMs = 1_000;
        assertThat(looked(6).span())
                .hasValueSatisfying(span -> assertThat(
                                span.stages().get(0).subtasks().get(0).recordsOut())
                        .isEqualTo(5_000));
    }

    @Test
    void look_shortPause_continuesWithoutTheStaleState() throws Exception {
        lateMs = 1_000;
        looked(10);
        ms += 6_000;
        lateMs = 7_000;
        assertThat(look().get(0).span()).isEmpty();
        lateMs = 1_000;
        assertThat(look().get(0).span())
                .hasValueSatisfying(span -> assertThat(
                                span.stages().get(0).subtasks().get(0).recordsOut())
                        .isEqualTo((long) (1_000 * span.seconds())));
    }

    @Test
    void look_twiceAtOnce_readsOnce() throws Exception {
        look();
        jobs.look();
        assertThat(reads).isEqualTo(1);
    }

    @Test
    void look_flinkReportsLate_startsWithItsFirstFigures() throws Exception {
        reports = false;
        looked(8);
        reports = true;
        runningSinceMs = ms - 100_000;
        Recent recent = looked(6);
        assertThat(recent.span()).hasValueSatisfying(span -> {
            assertThat(span.seconds()).isEqualTo(5);
            assertThat(span.stages().get(0).subtasks().get(0).recordsOut()).isEqualTo(5_000);
        });
    }

    @Test
    void look_restart_findsItAndMeasuresStagesSinceThen() throws Exception {
        looked(10);
        restarts = 1;
        runningSinceMs = ms;
        Recent soon = looked(2);
        assertThat(soon.span())
                .hasValueSatisfying(span -> assertThat(Diagnosis.of(span))
                        .singleElement()
                        .satisfies(finding -> assertThat(finding.domain()).isEqualTo(Finding.Domain.FAILURES)));
        assertThat(soon.sinceRestart()).isEmpty();
        assertThat(looked(4).sinceRestart())
                .hasValueSatisfying(span -> assertThat(span.restarts()).isZero());
    }

    @Test
    void look_jobEnds_forgetsIt() throws Exception {
        looked(10);
        runs = false;
        assertThat(look()).isEmpty();
        runs = true;
        assertThat(look().get(0).span()).isEmpty();
    }
}
