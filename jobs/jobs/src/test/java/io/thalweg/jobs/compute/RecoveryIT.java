package io.thalweg.jobs.compute;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.formats.BadReason;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.view.FeatureView;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that rows after failures and rescaling are those of an undisturbed run. */
@Tag("faults")
@SuppressWarnings("NullAway.Init")
class RecoveryIT {
    private static final long MARKER_MS = CityEvents.START_MS + 3 * 3_600_000L;
    private static final long LAST_END_MS = MARKER_MS - 60_000;
    /** A window end that the events before the gap reach. */
    private static final long EARLY_END_MS = CityEvents.START_MS + 3 * 60_000L;

    private static EmbeddedKafka broker;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        broker = EmbeddedKafka.start();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    /** Returns a clock that never reaches the events, so that silence alone does not end a window. */
    private static ClockSpec longBefore() {
        return new ClockSpec(System.currentTimeMillis(), CityEvents.START_MS - 86_400_000L, 1);
    }

    /** Returns a clock that stands still behind the events, so that there is no silence. */
    private static ClockSpec still() {
        return new ClockSpec(0, MARKER_MS + 86_400_000L, Double.MIN_VALUE);
    }

    @Test
    void run_operatorFailsInTheMiddle_rowsEqualTheUndisturbedRun() throws Exception {
        FeatureView view = CityEvents.view("demand", "failing", "10m", "json", "exactly_once");
        KafkaFixture.createTopics(broker, view, 3);
        List<List<String>> events = KafkaFixture.spread(CityEvents.events(11, 2_000, 51.5, -0.12), 3);
        NaiveRows expected = NaiveRows.ofPartitions(view, events);
        KafkaFixture fixture = new KafkaFixture(broker, folder);
        StreamExecutionEnvironment environment = fixture.environment(2, null);
        ComputeJob compute = fixture.job("failing", List.of(view), longBefore(), false);
        compute.addTo(environment);
        Tripwire.EMISSIONS.set(0);
        layTripwire(environment, "assemble demand");
        JobClient job = environment.executeAsync();

        // In two halves, so that checkpoints are taken between emissions.
        List<List<String>> first = new ArrayList<>();
        List<List<String>> second = new ArrayList<>();
        for (List<String> partition : events) {
            first.add(partition.subList(0, partition.size() / 2));
            second.add(new ArrayList<>(partition.subList(partition.size() / 2, partition.size())));
        }
        fixture.produce(view, first);
        fixture.rows(view, EARLY_END_MS, true);
        KafkaFixture.mark(second, MARKER_MS);
        fixture.produce(view, second);
        KafkaFixture.Rows rows = fixture.rows(view, LAST_END_MS, true);
        job.cancel().get();

        assertThat(Tripwire.EMISSIONS).hasValueGreaterThan(Tripwire.LAST_AT);
        // Progress may repeat and step back after a failure; committed rows may not repeat.
        assertThat(rows.lines).isEqualTo(expected.upTo(LAST_END_MS)).isNotEmpty();
        assertAccount(compute, view, events.stream().mapToLong(List::size).sum() + second.size(), expected);
    }

    /** Asserts that each event counts once, however often it was read. */
    private static void assertAccount(ComputeJob job, FeatureView view, long events, NaiveRows expected) {
        JobMetrics.View account = JobMetrics.of(job.jobId()).view(view.qualifiedName());
        assertThat(account.events()).isEqualTo(events);
        assertThat(account.outcome(EventOutcome.BAD) + account.outcome(EventOutcome.LATE))
                .isEqualTo(expected.deadLetters().size());
    }

    private static void layTripwire(StreamExecutionEnvironment environment, String operator) {
        for (Transformation<?> transformation : List.copyOf(environment.getTransformations())) {
            if (transformation.getName().equals(operator)) {
                @SuppressWarnings("unchecked")
                Transformation<OutputItem> emissions = (Transformation<OutputItem>) transformation;
                new DataStream<>(environment, emissions)
                        .map(new Tripwire())
                        .returns(OutputItem.TYPE)
                        .sinkTo(new DiscardingSink<>());
                return;
            }
        }
        throw new AssertionError("no operator " + operator);
    }

    /** Fails its task, and with it the connected ones, at some emissions. */
    private static final class Tripwire implements MapFunction<OutputItem, OutputItem> {
        static final AtomicInteger EMISSIONS = new AtomicInteger();
        static final int LAST_AT = 2_300;
        private static final Set<Integer> AT = Set.of(600, LAST_AT);

        @Override
        public OutputItem map(OutputItem item) {
            if (AT.contains(EMISSIONS.incrementAndGet())) {
                throw new IllegalStateException("tripped on purpose");
            }
            return item;
        }
    }

    @Test
    void resume_atAnotherParallelism_goesOnWhereItStopped() throws Exception {
        FeatureView view = CityEvents.view("demand", "rescaled", "10m", "json", "exactly_once");
        List<String> all = CityEvents.events(12, 2_000, 35.68, 139.69);

        Rescaled run = rescaled(view, all, 900);

        assertThat(run.rows.lines)
                .isEqualTo(NaiveRows.ofPartitions(view, run.events).upTo(LAST_END_MS))
                .isNotEmpty();
        assertAccount(
                run.job,
                view,
                run.events.stream().mapToLong(List::size).sum(),
                NaiveRows.ofPartitions(view, run.events));
    }

    @Test
    void resume_keyedViewAtAnotherParallelism_rowsAreThoseOfAnUndisturbedRun() throws Exception {
        FeatureView view = OrderEvents.view(
                "keyed-rescaled",
                "[{name: merchant, field: merchant}]",
                "[1m, 2m, 5m]",
                "emit: {early: 50ms}",
                "json",
                "exactly_once");
        List<String> all = OrderEvents.events(14, 3_000);

        Rescaled run = rescaled(view, all, 1_200);

        assertThat(run.rows.lines)
                .isEqualTo(OrderEvents.expected(view, run.events).upTo(LAST_END_MS))
                .hasSizeGreaterThan(500);
        assertThat(run.rows.partial).isNotEmpty();
    }

    /** The new partition's events belong to panes that closed before: none counts, and each becomes a dead letter. */
    @Test
    void resume_partitionAddedWhileTheJobWasDown_itsOldEventsAreDeadLetters() throws Exception {
        FeatureView view = CityEvents.view("demand", "widened", "10m", "json", "exactly_once");
        String topic = view.source().topics().get(0);
        KafkaFixture.createTopics(broker, view, 2);
        List<String> all = CityEvents.events(15, 2_000, 48.86, 2.35);
        List<List<String>> before = KafkaFixture.spread(all.subList(0, 900), 2);
        List<List<String>> after = KafkaFixture.spread(all.subList(900, 2_000), 2);
        KafkaFixture.mark(after, MARKER_MS);
        List<List<String>> whole = new ArrayList<>();
        for (int p = 0; p < 2; p++) {
            List<String> partition = new ArrayList<>(before.get(p));
            partition.addAll(after.get(p));
            whole.add(partition);
        }
        KafkaFixture fixture = new KafkaFixture(broker, folder);
        fixture.produce(view, before);
        JobClient first = fixture.start(2, null, fixture.job("widened", List.of(view), longBefore(), false));
        assertThat(fixture.rows(view, EARLY_END_MS, false).lines).isNotEmpty();
        String savepoint = first.stopWithSavepoint(
                        false, folder.resolve("savepoints").toUri().toString(), SavepointFormatType.CANONICAL)
                .get();

        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrap()))) {
            admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(3)))
                    .all()
                    .get();
        }
        List<String> old = new ArrayList<>(all.subList(0, 40));
        old.add(KafkaFixture.marker(MARKER_MS));
        fixture.produce(view, List.of(List.of(), List.of(), old));
        fixture.produce(view, after);
        ComputeJob compute = fixture.job("widened", List.of(view), longBefore(), true);
        JobClient second = fixture.start(3, Path.of(URI.create(savepoint)), compute);
        KafkaFixture.Rows rows = fixture.rows(view, LAST_END_MS, true);
        NaiveRows expected = NaiveRows.ofPartitions(view, whole);
        JobMetrics.View account = JobMetrics.of(compute.jobId()).view(view.qualifiedName());
        long lateIdle = account.badCount(BadReason.LATE_IDLE);
        List<String> letters = fixture.deadLetters(view, expected.deadLetters().size() + (int) lateIdle);
        second.cancel().get();

        assertThat(rows.lines).isEqualTo(expected.upTo(LAST_END_MS)).isNotEmpty();
        assertThat(lateIdle).isPositive();
        assertThat(letters.stream().filter(letter -> letter.contains("\"reason\":\"late_idle\"")))
                .hasSize((int) lateIdle);
        assertThat(account.events())
                .isEqualTo(whole.stream().mapToLong(List::size).sum() + old.size());
    }

    /** The events by partition, of which a part was read before the job was rescaled, and the rows of all. */
    private record Rescaled(List<List<String>> events, KafkaFixture.Rows rows, ComputeJob job) {}

    /** Reads some of the events with two subtasks, stops, and continues with three. */
    private Rescaled rescaled(FeatureView view, List<String> all, int firstPart) throws Exception {
        String deployment = view.source().topics().get(0);
        KafkaFixture.createTopics(broker, view, 4);
        List<List<String>> before = KafkaFixture.spread(all.subList(0, firstPart), 4);
        List<List<String>> after = KafkaFixture.spread(all.subList(firstPart, all.size()), 4);
        KafkaFixture.mark(after, MARKER_MS);
        List<List<String>> whole = new ArrayList<>();
        for (int p = 0; p < 4; p++) {
            List<String> partition = new ArrayList<>(before.get(p));
            partition.addAll(after.get(p));
            whole.add(partition);
        }
        KafkaFixture fixture = new KafkaFixture(broker, folder);

        fixture.produce(view, before);
        JobClient first = fixture.start(2, null, fixture.job(deployment, List.of(view), longBefore(), false));
        assertThat(fixture.rows(view, EARLY_END_MS, false).lines).isNotEmpty();
        String savepoint = first.stopWithSavepoint(
                        false, folder.resolve("savepoints").toUri().toString(), SavepointFormatType.CANONICAL)
                .get();
        fixture.produce(view, after);
        ComputeJob compute = fixture.job(deployment, List.of(view), longBefore(), true);
        JobClient second = fixture.start(3, Path.of(URI.create(savepoint)), compute);
        KafkaFixture.Rows rows = fixture.rows(view, LAST_END_MS, true);
        second.cancel().get();
        return new Rescaled(whole, rows, compute);
    }

    /** The added view starts at the beginning of its topic; one that shares the topic of another reads it again. */
    @Test
    void resume_viewsAddedAndOneRemoved_theOtherGoesOnAndTheyHaveAllRows() throws Exception {
        FeatureView stays = CityEvents.view("demand", "stays", "10m", "json", "exactly_once");
        FeatureView leaves = CityEvents.view("supply", "leaves", "10m", "json", "exactly_once");
        FeatureView comes = CityEvents.view("offers", "comes", "10m", "json", "exactly_once");
        FeatureView joins = CityEvents.view("twin", "stays", "10m", "json", "exactly_once");
        List<String> all = CityEvents.events(13, 1_200, 48.86, 2.35);
        List<List<String>> before = KafkaFixture.spread(all.subList(0, 600), 2);
        List<List<String>> after = KafkaFixture.spread(all.subList(600, 1_200), 2);
        KafkaFixture.mark(after, MARKER_MS);
        List<List<String>> whole = new ArrayList<>();
        for (int p = 0; p < 2; p++) {
            List<String> partition = new ArrayList<>(before.get(p));
            partition.addAll(after.get(p));
            whole.add(partition);
        }
        KafkaFixture fixture = new KafkaFixture(broker, folder);
        for (FeatureView view : List.of(stays, leaves, comes, joins)) {
            KafkaFixture.createTopics(broker, view, 2);
        }

        fixture.produce(stays, before);
        fixture.produce(leaves, before);
        JobClient first = fixture.start(2, null, fixture.job("changing", List.of(leaves, stays), still(), false));
        assertThat(fixture.rows(stays, EARLY_END_MS, false).lines).isNotEmpty();
        assertThat(fixture.rows(leaves, EARLY_END_MS, false).lines).isNotEmpty();
        String savepoint = first.stopWithSavepoint(
                        false, folder.resolve("savepoints").toUri().toString(), SavepointFormatType.CANONICAL)
                .get();
        fixture.produce(stays, after);
        fixture.produce(comes, whole);
        ComputeJob changed = fixture.job(
                "changing",
                List.of(stays, comes, joins),
                still(),
                SourceNames.of(List.of(stays), SourceNames.of(List.of(leaves, stays), Map.of())));
        JobClient second = fixture.start(2, Path.of(URI.create(savepoint)), changed);
        KafkaFixture.Rows kept = fixture.rows(stays, LAST_END_MS, true);
        KafkaFixture.Rows added = fixture.rows(comes, LAST_END_MS, true);
        KafkaFixture.Rows joined = fixture.rows(joins, LAST_END_MS, true);
        second.cancel().get();

        assertThat(kept.lines)
                .isEqualTo(NaiveRows.ofPartitions(stays, whole).upTo(LAST_END_MS))
                .isNotEmpty();
        assertThat(added.lines).isEqualTo(NaiveRows.ofPartitions(comes, whole).upTo(LAST_END_MS));
        assertThat(joined.lines).isEqualTo(NaiveRows.ofPartitions(joins, whole).upTo(LAST_END_MS));
    }
}
