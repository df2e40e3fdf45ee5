package io.thalweg.live.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.live.inspect.Finding.Domain;
import io.thalweg.live.inspect.JobSpan.StageLoad;
import io.thalweg.live.inspect.JobState.Batches;
import io.thalweg.live.inspect.JobState.Checkpoints;
import io.thalweg.live.inspect.JobState.Filter;
import io.thalweg.live.inspect.JobState.Stage;
import io.thalweg.live.inspect.JobState.Subtask;
import io.thalweg.live.inspect.JobState.ThreadTime;
import io.thalweg.live.inspect.JobState.Work;
import io.thalweg.live.inspect.JobState.Worker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Findings for jobs that were observed for 10 s. */
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
    /**
     * The shares of a task's busy time in which its thread computes, and in which it has no processor; unknown in clusters of
     * earlier versions.
     */
    private double computes;

    private double starves;
    private Work work = Work.NONE;

    /** Adds a stage whose subtasks are busy and back-pressured for some shares of the time. */
    private void stage(String name, boolean isReader, double[] busy, double... backPressured) {
        List<Subtask> subtasks = new ArrayList<>();
        for (int i = 0; i < busy.length; i++) {
            double held = i < backPressured.length ? backPressured[i] : 0;
            subtasks.add(new Subtask(
                    (long) (busy[i] * SPAN_MS),
                    (long) (held * SPAN_MS),
                    (long) ((1 - busy[i] - held) * SPAN_MS),
                    isReader ? 0 : 100,
                    busy[i] == 0 ? 0 : 100,
                    new ThreadTime((long) (computes * busy[i] * SPAN_MS), (long) (starves * busy[i] * SPAN_MS)),
                    new ThreadTime(0, 0)));
        }
        stages.add(new Stage(name, name, List.of(), subtasks, work));
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
    void of_threadsThatNeitherComputeNorLackAProcessor_waitWhateverTheProcessDoesBesides() {
        cores = 3.5;
        computes = 0.1;
        starves = 0.1;
        work = new Work(List.of(), 100, 9_000, List.of());
        stage("write", false, shares(0.99));
        Finding finding = only();
        assertThat(finding.domain()).isEqualTo(Domain.REMOTE_CALLS);
        assertThat(finding.evidence())
                .contains("its threads compute for 0.1 of 1.0")
                .endsWith("a store or a service");
    }

    @Test
    void of_anIngestWhoseFunctionWaits_saysSo() {
        computes = 0.02;
        work = new Work(List.of(), 9_600, 400, List.of());
        stage("translate", true, shares(0.99, 0.99));
        Finding finding = only();
        assertThat(finding.domain()).isEqualTo(Domain.REMOTE_CALLS);
        assertThat(finding.evidence())
                .endsWith("that the function of the ingest calls, for 96 % of the time that it works");
        assertThat(finding.change()).contains("--parallelism 4 instead of 2, with as many partitions");
    }

    @Test
    void of_threadsWithoutProcessorsOnAMachineThatOthersUse_blamesNoStage() {
        computes = 0.3;
        starves = 0.6;
        work = new Work(List.of(new Filter("rides", 50_000, 0)), 9_000, 100, List.of());
        checkpoints = new Checkpoints(100, 91, 100 + 90 * 60);
        gcShare = 0.15;
        stage("translate", true, shares(0.97));
        Finding finding = only();
        assertThat(finding.domain()).isEqualTo(Domain.MACHINE);
        assertThat(finding.evidence())
                .contains("busy 97 % of the time", "for 67 % of the time in which its threads have work", "1.0 of 4");
        assertThat(finding.effect()).startsWith("up to 3.0 times the events");
    }

    @Test
    void of_aCollectorWithMostOfTheTimeOnABusyMachine_isTheCause() {
        cores = 0.3;
        computes = 0.03;
        starves = 0.3;
        gcShare = 0.7;
        work = new Work(List.of(), 9_000, 100, List.of());
        stage("translate", true, shares(0.99));
        assertThat(only().domain()).isEqualTo(Domain.GARBAGE_COLLECTION);
    }

    @Test
    void of_threadsThatTheCollectorStops_doNotWaitForAService() {
        computes = 0.2;
        starves = 0.2;
        gcShare = 0.18;
        work = new Work(List.of(), 9_000, 100, List.of());
        stage("translate", true, shares(0.99));
        assertThat(only().domain()).isEqualTo(Domain.MACHINE);
    }

    @Test
    void of_threadsWithoutProcessorsInAProcessThatHasThemAll_needMoreProcessors() {
        cores = 3.8;
        computes = 0.6;
        starves = 0.4;
        stage("count", false, shares(0.95, 0.95, 0.95, 0.95, 0.95, 0.95));
        Finding finding = only();
        assertThat(finding.domain()).isEqualTo(Domain.PARALLELISM);
        assertThat(finding.change()).startsWith("more or faster processors");
    }

    @Test
    void of_aJobWithTimeToSpareOnABusyMachine_isHealthy() {
        computes = 0.2;
        starves = 0.7;
        checkpoints = new Checkpoints(1_000, 9, 100 + 8 * 1_000);
        stage("count", false, shares(0.6));
        assertThat(Diagnosis.of(span())).isEmpty();
    }

    @Test
    void of_checkpointsAllTheTimeOnABusyMachine_areStillTooFrequent() {
        computes = 0.5;
        starves = 0.5;
        checkpoints = new Checkpoints(10, 91, 100 + 90 * 110);
        stage("count", false, shares(0.6));
        assertThat(only().domain()).isEqualTo(Domain.CHECKPOINTS);
    }

    @Test
    void stages_timesThatFall_areNotNegative() {
        Subtask begun = new Subtask(5_000, 0, 0, 0, 0);
        Subtask now = new Subtask(1_000, 0, 14_000, 0, 0);
        List<Worker> worker = List.of(new Worker("w", 4, 0, 0, 0, HEAP));
        JobSpan span = new JobSpan(List.of(
                new JobState("1", "job", 0, 0, List.of(new Stage("a", "a", List.of(begun))), CALM, worker),
                new JobState("1", "job", SPAN_MS, 0, List.of(new Stage("a", "a", List.of(now))), CALM, worker)));
        assertThat(span.stages().get(0).busiest()).isZero();
        assertThat(span.stages().get(0).subtasks().get(0).idle()).isEqualTo(1);
    }

    @Test
    void of_aBusyStageBehindAFilterThatDropsNothing_namesTheFilterFirst() {
        computes = 0.95;
        work = new Work(List.of(new Filter("rides", 50_000, 0), new Filter("trips", 50_000, 1)), 0, 0, List.of());
        stage("route", true, shares(0.97));
        List<Finding> findings = Diagnosis.of(span());
        assertThat(findings).extracting(Finding::domain).containsExactly(Domain.ALGORITHM, Domain.PARALLELISM);
        assertThat(findings.get(0).evidence())
                .isEqualTo("'route' computes 97 % of the time, and where of rides has dropped none of 50,000 events");
    }

    @Test
    void of_aFilterThatDropsNothingOfAJobWithTimeToSpare_isNotAFinding() {
        work = new Work(List.of(new Filter("rides", 50_000, 0)), 0, 0, List.of());
        stage("route", true, shares(0.5));
        assertThat(Diagnosis.of(span())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"10, 10, 10, true", "10, 10, 4, false", "5000, 100, 100, false", "10, 0, 0, false"})
    void of_aStageThatWritesSmallBatches_needsLargerOnes(long most, long writes, long rowsOfEach, boolean isFound) {
        computes = 0.1;
        work = new Work(
                List.of(), 0, 0, List.of(new Batches("demand", writes, writes * rowsOfEach, writes * 5, most, 4, 200)));
        stage("load demand", false, shares(0.98));
        Finding finding = only();
        assertThat(finding.domain()).isEqualTo(isFound ? Domain.BATCH_SIZE : Domain.REMOTE_CALLS);
        if (isFound) {
            assertThat(finding.change()).isEqualTo("load.batch_rows: 5000 instead of 10");
        }
    }

    @ParameterizedTest
    @CsvSource({"150, load.in_flight: 16 instead of 4", "400, load.target_latency: 800ms instead of 200ms"})
    void of_aStageThatWaitsForItsStore_proposesTheLimitThatHolds(long writeMs, String change) {
        computes = 0.1;
        work = new Work(List.of(), 0, 0, List.of(new Batches("demand", 10, 40_000, 10 * writeMs, 5_000, 4, 200)));
        stage("load demand", false, shares(0.98));
        assertThat(only().change()).contains(change);
    }

    @Test
    void of_aBusyThreadThatFetches_isAStageOfItsOwn() {
        Subtask begun = new Subtask(0, 0, 0, 0, 0, new ThreadTime(0, 0), new ThreadTime(100, 0));
        Subtask now = new Subtask(2_000, 0, 8_000, 0, 50, new ThreadTime(2_000, 0), new ThreadTime(9_600, 0));
        String name = "Source: read rides -> route rides";
        List<Worker> idle = List.of(new Worker("w", 4, 0, 0, 0, HEAP));
        List<Worker> busy = List.of(new Worker("w", 4, 12_000, 0, 0, HEAP));
        JobSpan span = new JobSpan(List.of(
                new JobState("1", "job", 0, 0, List.of(new Stage("a", name, List.of(begun))), CALM, idle),
                new JobState("1", "job", SPAN_MS, 0, List.of(new Stage("a", name, List.of(now))), CALM, busy)));
        assertThat(span.stages())
                .extracting(StageLoad::label)
                .containsExactly("Kafka thread of read rides", "read rides → route rides");
        Finding finding = Diagnosis.of(span).get(0);
        assertThat(finding.evidence()).startsWith("'Kafka thread of read rides' computes 95 % of the time");
        assertThat(finding.change())
                .isEqualTo("--parallelism 2 instead of 1, and a partition of the topic for each subtask");
    }

    @ParameterizedTest
    @CsvSource({
        "accumulate demand, a hexagon is always counted by one subtask",
        "aggregate spend, add an entity that divides it"
    })
    void of_oneBusySubtask_proposesWhatDividesItsWork(String stage, String change) {
        stage(stage, false, shares(0.97, 0.1));
        assertThat(only().change()).contains(change);
    }

    @Test
    void of_aReaderWithMostOfTheEventsInOnePartition_needsOtherKeys() {
        stage("read", true, shares(0.97, 0.1));
        assertThat(only().change()).startsWith("record keys that spread the events");
    }

    @Test
    void of_checkpointsOfAnIngest_areThoseOfItsSink() {
        work = new Work(List.of(), 1_000, 100, List.of());
        checkpoints = new Checkpoints(1_000, 9, 100 + 8 * 600);
        stage("translate", true, shares(0.3));
        assertThat(only().change()).isEqualTo("sink.every: 12s instead of 1s");
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
    void of_muchGarbageOfAJobWithAHotKey_namesTheKeyFirst() {
        gcShare = 0.4;
        stage("count", false, shares(0.97, 0.1));
        assertThat(Diagnosis.of(span()))
                .extracting(Finding::domain)
                .containsExactly(Domain.PARTITIONING, Domain.GARBAGE_COLLECTION);
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
