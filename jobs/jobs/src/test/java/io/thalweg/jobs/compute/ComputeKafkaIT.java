package io.thalweg.jobs.compute;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.devkit.EmbeddedKafka;
import io.thalweg.formats.DeadLetter;
import io.thalweg.jobs.JobMetrics;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.deployment.DeploymentConfig.Kafka;
import io.thalweg.model.view.FeatureView;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.core.execution.JobClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests jobs from topic to topic: for any partitions and parallelism, the rows are those of the naive recount. */
@SuppressWarnings("NullAway.Init")
class ComputeKafkaIT {
    /** Long after all events: advancing the clocks to this time ends every window. */
    private static final long MARKER_MS = CityEvents.START_MS + 3 * 3_600_000L;

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

    @Tag("test")
    @ParameterizedTest(name = "{0} partitions, parallelism {1}, {2}, {3}, {4}")
    @CsvSource({
        "1, 4, json, at_least_once, BATCHES",
        "4, 2, json, exactly_once, BATCHES",
        "7, 2, packed, at_least_once, CONSUMER",
        "2, 2, avro, exactly_once, BATCHES",
    })
    void run_topic_rowsAndDeadLettersEqualTheNaiveRecount(
            int partitions, int parallelism, String format, String delivery, Kafka.Reader reader) throws Exception {
        FeatureView view = CityEvents.view("demand", "riders-" + partitions, "2s", format, delivery);
        KafkaFixture.createTopics(broker, view, partitions);
        List<List<String>> events = KafkaFixture.spread(CityEvents.events(7, 600, 40.73, -73.99), partitions);
        KafkaFixture.spoil(events, 7);
        KafkaFixture.mark(events, MARKER_MS);
        NaiveRows expected = NaiveRows.ofPartitions(view, events);
        long lastEndMs = MARKER_MS - 60_000;
        KafkaFixture fixture = new KafkaFixture(broker, folder).reading(reader);
        fixture.produce(view, events);

        JobClient job = fixture.start(
                parallelism, null, fixture.job("kafka-it-" + partitions, List.of(view), ClockSpec.system(), false));
        KafkaFixture.Rows rows = fixture.rows(view, lastEndMs, false);
        List<String> letters = fixture.deadLetters(view, expected.deadLetters().size());
        job.cancel().get();

        assertThat(rows.lines).isEqualTo(expected.upTo(lastEndMs)).isNotEmpty();
        assertThat(letters).isEqualTo(asInKafka(view, expected, events));
        assertThat(letters).anyMatch(letter -> letter.contains("\"reason\":\"late\""));
        assertThat(letters).anyMatch(letter -> letter.contains("\"reason\":\"undecodable\""));
        assertThat(letters).anyMatch(letter -> letter.contains("\"reason\":\"coordinate\""));
    }

    /** The views read the topic separately, each with its own clock and dead letters. */
    @Tag("faults")
    @Test
    void run_twoViewsOfOneTopicWithOtherSettings_eachEqualsItsNaiveRecount() throws Exception {
        FeatureView patient = CityEvents.view("patient", "twice", "10m", "json", "at_least_once");
        FeatureView hasty = CityEvents.view("hasty", "twice", "2s", "json", "exactly_once");
        assertThat(patient.source()).isNotEqualTo(hasty.source());
        KafkaFixture.createTopics(broker, patient, 2);
        KafkaFixture.createTopics(broker, hasty, 2);
        List<List<String>> events = KafkaFixture.spread(CityEvents.events(21, 600, 40.73, -73.99), 2);
        KafkaFixture.mark(events, MARKER_MS);
        long lastEndMs = MARKER_MS - 60_000;
        KafkaFixture fixture = new KafkaFixture(broker, folder);
        fixture.produce(patient, events);

        ComputeJob compute = fixture.job("twice", List.of(patient, hasty), ClockSpec.system(), false);
        JobClient job = fixture.start(2, null, compute);
        KafkaFixture.Rows ofPatient = fixture.rows(patient, lastEndMs, false);
        KafkaFixture.Rows ofHasty = fixture.rows(hasty, lastEndMs, false);
        for (String name : List.of("kafka-fetcher [twice]", "accumulate patient", "assemble hasty")) {
            assertThat(priorities(name)).as(name).containsOnly(Thread.MIN_PRIORITY);
        }
        assertThat(priorities("AsyncOperations")).as("those that write state").contains(Thread.MIN_PRIORITY);
        job.cancel().get();

        assertThat(ofPatient.lines)
                .isEqualTo(NaiveRows.ofPartitions(patient, events).upTo(lastEndMs))
                .isNotEmpty();
        assertThat(ofHasty.lines)
                .isEqualTo(NaiveRows.ofPartitions(hasty, events).upTo(lastEndMs))
                .isNotEmpty();
        for (FeatureView view : List.of(patient, hasty)) {
            assertThat(JobMetrics.of(compute.jobId()).view(view.qualifiedName()).events())
                    .isEqualTo(events.stream().mapToLong(List::size).sum());
        }
    }

    private static Set<Integer> priorities(String threads) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(threads))
                .map(Thread::getPriority)
                .collect(Collectors.toSet());
    }

    @Tag("test")
    @ParameterizedTest(name = "{0}, {1}, {2}")
    @CsvSource({
        "string, packed, at_least_once",
        "uuid, json, exactly_once",
    })
    void run_topicOfAKeyedView_rowsEqualTheNaiveRecount(String key, String format, String delivery) throws Exception {
        String entities =
                "[{name: key, field: %s, type: %s}]".formatted(key.equals("uuid") ? "device" : "merchant", key);
        FeatureView view =
                OrderEvents.view("orders-" + key, entities, "[1m, 3m]", "emit: {early: 20ms}", format, delivery);
        KafkaFixture.createTopics(broker, view, 3);
        List<List<String>> events = KafkaFixture.spread(OrderEvents.events(8, 3_000), 3);
        KafkaFixture.mark(events, MARKER_MS);
        long lastEndMs = MARKER_MS - 60_000;
        OrderEvents.Expected expected = OrderEvents.expected(view, events);
        KafkaFixture fixture = new KafkaFixture(broker, folder);
        fixture.produce(view, events);

        JobClient job =
                fixture.start(2, null, fixture.job("kafka-keyed-" + key, List.of(view), ClockSpec.system(), false));
        KafkaFixture.Rows rows = fixture.rows(view, lastEndMs, false);
        List<String> letters = fixture.deadLetters(view, expected.deadLetters().size());
        job.cancel().get();

        assertThat(rows.lines).isEqualTo(expected.upTo(lastEndMs)).hasSizeGreaterThan(500);
        assertThat(letters).hasSameSizeAs(expected.deadLetters());
    }

    /** The window stays open, so there are only early rows, and reading them does not require a commit. */
    @Tag("test")
    @ParameterizedTest(name = "{0} under {1}")
    @CsvSource({
        "read_committed, exactly_once",
        "read_uncommitted, exactly_once",
        "read_committed, at_least_once",
    })
    void run_windowOpen_earlyRowsAreReadableAtOnce(String isolation, String delivery) throws Exception {
        String topic = "early-" + isolation.replace('_', '-') + "-" + delivery.replace('_', '-');
        FeatureView view = OrderEvents.view(
                topic, "[{name: merchant, field: merchant}]", "[1m]", "emit: {early: 50ms}", "json", delivery);
        KafkaFixture.createTopics(broker, view, 1);
        Random random = new Random(9);
        List<String> events = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            events.add(OrderEvents.event(random, OrderEvents.START_MS + i));
        }
        List<String> open = OrderEvents.expected(view, List.of(events)).upTo(OrderEvents.START_MS + 60_000);
        KafkaFixture fixture = new KafkaFixture(broker, folder);
        fixture.produce(view, List.of(events));

        JobClient job = fixture.start(1, null, fixture.job(topic, List.of(view), ClockSpec.system(), false));
        KafkaFixture.Rows rows =
                fixture.rows(view, isolation, read -> finalLike(read).containsAll(open));
        job.cancel().get();

        assertThat(open).hasSizeGreaterThan(10);
        assertThat(rows.lines).isEmpty();
    }

    private static List<String> finalLike(KafkaFixture.Rows rows) {
        return rows.partial.stream()
                .map(line -> line.replaceAll("\"PARTIAL\",\"sequence\":\\d+", "\"FINAL\""))
                .toList();
    }

    /** Converts dead letters: the recount identifies them by line, a topic by partition and offset. */
    private static List<String> asInKafka(FeatureView view, NaiveRows expected, List<List<String>> events) {
        List<String> letters = new ArrayList<>();
        int partition = 0;
        long lastLine = 0;
        for (DeadLetter letter : expected.deadLetters()) {
            if (letter.offset() <= lastLine) {
                partition++;
            }
            lastLine = letter.offset();
            assertThat(events.get(partition).get((int) letter.offset() - 1)).isEqualTo(letter.raw());
            letters.add(new String(
                    new DeadLetter(
                                    letter.view(),
                                    letter.reason(),
                                    letter.detail(),
                                    view.source().topics().get(0),
                                    partition,
                                    letter.offset() - 1,
                                    letter.timeMs(),
                                    letter.raw(),
                                    letter.rawIsText(),
                                    letter.rawBytes(),
                                    letter.truncated())
                            .toJson(),
                    StandardCharsets.UTF_8));
        }
        letters.sort(null);
        return letters;
    }
}
