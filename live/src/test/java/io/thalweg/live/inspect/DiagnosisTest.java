package io.thalweg.live.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.live.inspect.Finding.Domain;
import io.thalweg.live.inspect.JobState.Checkpoints;
import io.thalweg.live.inspect.JobState.Stage;
import io.thalweg.live.inspect.JobState.Subtask;
import io.thalweg.live.inspect.JobState.Worker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs that were observed for 10 s, and what is said of them. */
class DiagnosisTest {
    private static final long SPAN_MS = 10_000;
    private static final long HEAP = 1L << 30;
    private static final Checkpoints CALM = new Checkpoints(10_000, 1, 100);

    private final List<Stage> stages = new ArrayList<>();
    private long restarts;
    private Checkpoints checkpoints = CALM;
    private double cores = 1;
    private double gcShare = 0.01;
    private long heapUsed = HEAP / 10;

    /** Adds a stage of which each subtask is busy and back-pressured for some shares of the time. */
    private void stage(String name, boolean isReader, double[] busy, double... backPressured) {
        List<Subtask> subtasks = new ArrayList<>();
        for (int i = 0; i < busy.length; i++) {
            double held = i < backPressured.length ? backPressured[i] : 0;
            subtasks.add(new Subtask(
                    (long) (busy[i] * SPAN_MS),
                    (long) (held * SPAN_MS),
                    (long) ((1 - busy[i] - held) * SPAN_MS),
                    isReader ? 0 : 100,
                    busy[i] == 0 ? 0 : 100));
        }
        stages.add(new Stage(name, name, subtasks));
    }

    private static double[] shares(double... shares) {
        return shares;
    }

    private JobSpan span() {
        List<Stage> idle = stages.stream()
                .map(stage -> new Stage(
                        stage.id(),
                        stage.name(),
                        stage.subtasks().stream()
                                .map(subtask -> new Subtask(0, 0, 0, 0, 0))
                                .toList()))
                .toList();
        return new JobSpan(List.of(
                new JobState("1", "job", 0, 0, idle, CALM, List.of(new Worker("w", 4, 0, 0, heapUsed, HEAP))),
                new JobState(
                        "1",
                        "job",
                        SPAN_MS,
                        restarts,
                        stages,
                        checkpoints,
                        List.of(new Worker(
                                "w",
                                4,
                                (long) (cores * SPAN_MS),
                                (long) (gcShare * SPAN_MS),
                                heapUsed + (HEAP >> 3),
                                HEAP)))));
    }

    private Finding only() {
        List<Finding> findings = Diagnosis.of(span());
        assertThat(findings).hasSize(1);
        return findings.get(0);
    }

    @Test
    void of_stagesWithTimeToSpare_isHealthy() {
        stage("read", true, shares(0.6, 0.1), 0.1);
        stage("count", false, shares(0.8, 0.3));
        assertThat(Diagnosis.of(span())).isEmpty();
        assertThat(Diagnosis.slowest(span())).isEmpty();
    }

    @Test
    void of_lastBusyStage_isTheCauseWhereTheStagesBeforeItWait() {
        cores = 1.8;
        stage("read", true, shares(0.9), 0.05);
        stage("count", false, shares(0.95));
        stage("write", false, shares(0.2));
        Finding finding = only();
        assertThat(finding.domain()).isEqualTo(Domain.PARALLELISM);
        assertThat(finding.evidence())
                .contains("'count' computes 95 % of the time", "wait for it 5 % of the time", "1.8 of 4 processors");
        assertThat(finding.change()).isEqualTo("--parallelism 2 instead of 1");
    }

    @Test
    void of_allProcessorsInUse_moreThreadsAreNotProposed() {
        cores = 3.9;
        stage("count", false, shares(0.95, 0.9, 0.9, 0.9));
        assertThat(only().change()).startsWith("more or faster processors");
    }

    @Test
    void of_busyStageThatDoesNotCompute_waitsForAService() {
        cores = 0.3;
        stage("read", true, shares(0.1), 0.9);
        stage("store", false, shares(0.99));
        Finding finding = only();
        assertThat(finding.domain()).isEqualTo(Domain.REMOTE_CALLS);
        assertThat(finding.evidence()).contains("'store' is occupied 99 % of the time", "0.3 of 1.1");
    }

    @Test
    void of_oneBusySubtaskOfMany_isAHotKey() {
        stage("count", false, shares(0.97, 0.1, 0.1, 0.1));
        Finding finding = only();
        assertThat(finding.domain()).isEqualTo(Domain.PARTITIONING);
        assertThat(finding.evidence())
                .isEqualTo("one of the 4 subtasks of 'count' is busy 97 % of the time, the others 10 %");
        assertThat(finding.effect()).isEqualTo("up to 3.1 times the events");
    }

    @Test
    void of_readersWithoutAPartition_areTooManyForTheTopic() {
        stage("read", true, shares(0.97, 0, 0));
        Finding finding = only();
        assertThat(finding.domain()).isEqualTo(Domain.PARTITIONING);
        assertThat(finding.evidence()).endsWith("2 of them have read nothing");
        assertThat(finding.change()).startsWith("at least as many partitions");
    }

    @Test
    void of_muchGarbageInAFullHeap_needsMoreHeap() {
        gcShare = 0.4;
        heapUsed = HEAP / 10 * 8;
        stage("count", false, shares(0.99));
        Finding finding = only();
        assertThat(finding.domain()).isEqualTo(Domain.GARBAGE_COLLECTION);
        assertThat(finding.change()).contains("-Xmx2048m");
        assertThat(finding.evidence()).contains("40 % of the time", "80 % of the heap of 1,024 MB");
    }

    @Test
    void of_muchGarbageInAnEmptyHeap_isAllocatedByTheJob() {
        gcShare = 0.4;
        stage("count", false, shares(0.99));
        assertThat(only().change()).startsWith("fewer objects per event");
    }

    @Test
    void of_muchGarbageOfAJobWithTimeToSpare_isNotAFinding() {
        gcShare = 0.2;
        stage("count", false, shares(0.3));
        assertThat(Diagnosis.of(span())).isEmpty();
    }

    @Test
    void of_checkpointsAllTheTime_areTooFrequent() {
        checkpoints = new Checkpoints(100, 91, 100 + 90 * 80);
        Finding finding = only();
        assertThat(finding.domain()).isEqualTo(Domain.CHECKPOINTS);
        assertThat(finding.evidence())
                .isEqualTo("a checkpoint is in progress 72 % of the time: 90 in 10 s, each of 80 ms");
        assertThat(finding.change()).isEqualTo("checkpoints.every: 10s instead of 100ms");
    }

    @Test
    void of_slowCheckpointsThatAreRare_areNotAFinding() {
        checkpoints = new Checkpoints(600_000, 2, 100 + 9_000);
        assertThat(Diagnosis.of(span())).isEmpty();
    }

    @Test
    void of_restarts_areReportedInsteadOfFiguresThatMeanNothing() {
        restarts = 2;
        stage("count", false, shares(0.99));
        Finding finding = only();
        assertThat(finding.domain()).isEqualTo(Domain.FAILURES);
        assertThat(finding.evidence()).isEqualTo("the job restarted 2 times in 10 s");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            read                                                    | read
            Source: read -> count -> write: Writer -> write: Committer | read → count → write
            Source: a -> b -> c -> d                                | a → … → d
            rows -> (kafka: Writer -> kafka: Committer, tap: Writer, store: Writer) | rows → … → store
            """)
    void label_names_areThoseOfTheFirstAndTheLastOperators(String name, String label) {
        stage(name, false, shares(0.1));
        assertThat(span().stages().get(0).label()).isEqualTo(label);
    }

    @Test
    void constructor_oneState_isRefused() {
        assertThatThrownBy(() -> new JobSpan(List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a span needs at least 2 states, were 0");
    }
}
