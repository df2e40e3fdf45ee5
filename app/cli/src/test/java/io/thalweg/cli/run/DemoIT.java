package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.testing.Await;
import io.thalweg.testing.Exposition;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.HttpOne;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code thalweg demo} as users run it: the lines that it prints work when pasted, and it leaves nothing behind. */
@Timeout(Await.TIMEOUT_SECONDS)
class DemoIT {
    private static final Duration PATIENCE = Await.PATIENCE;
    /** The time limit for the end; on an idle machine, five seconds are enough. */
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private Path temporary;

    @BeforeEach
    void makeTemporary() throws IOException {
        temporary = Files.createDirectory(folder.resolve("tmp"));
    }

    private Subprocess demo(int port, Object... more) throws IOException {
        Launched.putInto(folder);
        StringBuilder command = new StringBuilder("exec ./thalweg demo --seed 3 --port " + port);
        for (Object word : more) {
            command.append(' ').append(word);
        }
        return Subprocess.start(
                folder,
                Map.of("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + temporary),
                List.of("bash", "-c", command.toString()));
    }

    @Tag("test")
    @Test
    void demo_minutes_pastedLinesReadPresentValuesAndItEndsByItself() throws Exception {
        int port = FreePorts.next();
        try (Subprocess demo = demo(port, "--minutes", 20, "--speed", 20, "--exit")) {
            String curl = demo.awaitLine("^  curl -s ", PATIENCE);
            String get = demo.awaitLine("^  \\./thalweg get ", PATIENCE);
            assertThat(curl).contains("http://127.0.0.1:" + port + "/v1/views/demand:read");
            Exposition metrics = Exposition.of(body(port, "/metrics"));
            assertThat(body(port, "/healthz")).isNotBlank();
            assertThat(pasted(curl)).contains("\"status\":\"PRESENT\"").contains("\"values\":[");
            assertThat(pasted(get)).contains("PRESENT");
            int admin = adminPort(demo);
            assertThat(body(admin, "/")).contains("<html");
            assertThat(body(admin, "/v1/console/views/demand")).contains("\"port\":" + port, "\"product\":");
            assertThat(body(admin, "/v1/console/basemap")).contains("\"areas\":[[[-7");
            assertThat(body(admin, "/v1/console/views/demand/letters")).contains("\"topic\":\"rider-events-dead\"");
            assertThat(body(admin, "/v1/qalm/endpoints")).contains("POST /v1/views/NAME:read");

            assertThat(metrics.value("thalweg_events_total{view=\"demand\",outcome=\"accepted\"}"))
                    .isPositive();
            assertThat(metrics.value("thalweg_rows_total{view=\"supply\"}")).isPositive();
            assertThat(metrics.value("thalweg_job_state{state=\"running\"}")).isEqualTo(1);
            assertThat(metrics.series().keySet()).anyMatch(each -> each.startsWith("thalweg_build_info{commit="));

            assertThat(demo.awaitExit(PATIENCE)).as(demo.stderr().toString()).isZero();
            assertThat(demo.stdout())
                    .anyMatch(line -> line.matches("\\d\\d:\\d\\d  demand +[\\d,]+ rows this minute, fresh after .*"))
                    .anyMatch(line -> line.matches("\\d\\d:\\d\\d  supply +[\\d,]+ rows this minute, fresh after .*"))
                    .anyMatch(line -> line.matches(" +89[0-9a-f]{13} \\S+  k0_1m=.* k5_8m=.* k0_32m=.*"))
                    .anyMatch(line -> line.startsWith("done: demand "));
            assertThat(demo.stderr()).noneMatch(line -> line.contains("\tat ") || line.startsWith("thalweg: "));
        }
        assertThat(temporary).isDirectoryNotContaining("glob:**thalweg-demo*");
    }

    @Tag("soak")
    @Test
    void demo_eventOfOnesOwn_cityTimeIsServedAndWallTimeIsADeadLetter() throws Exception {
        int port = FreePorts.next();
        try (Subprocess demo = demo(port, "--speed", 20)) {
            String python = demo.awaitLine("^  python3 -c ", PATIENCE);
            String get = demo.awaitLine("^  \\./thalweg get demand --at ", PATIENCE);
            String broker = found("'bootstrap\\.servers': '([^']+)'", python).group(1);
            assertThat(demo.awaitLine("^Kafka at ", PATIENCE)).contains(broker, "rider-events-dead");
            String event = found("p\\.produce\\('rider-events', '(\\{.*)%d\\}'", python)
                    .group(1)
                    .replace("\\\"", "\"");
            Matcher clock = found("(\\d+) \\+ \\(time\\.time\\(\\) \\* 1000 - (\\d+)\\) \\* ([0-9.]+)", python);
            ClockSpec city = new ClockSpec(
                    Long.parseLong(clock.group(2)), Long.parseLong(clock.group(1)), Double.parseDouble(clock.group(3)));

            try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                    Map.of("bootstrap.servers", broker), new ByteArraySerializer(), new ByteArraySerializer())) {
                awaitPresent(get, () -> send(producer, event + city.nowMs(System.currentTimeMillis()) + "}"));
                // The city is minutes ahead by now: rows later than the event have been read.
                send(producer, event + System.currentTimeMillis() + "}");
            }
            assertThat(deadLetterOf("6f1ced3a", broker)).contains("\"reason\":\"late\"");
            assertHealthy(adminPort(demo));
        }
    }

    /** Requires a healthy job, observed for some ten seconds. Load from other processes is not the job's fault and is reported as such. */
    private static void assertHealthy(int admin) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        CommandRun tune;
        do {
            tune = CommandRun.of("tune", "--for", "10s", "--quiet", "--admin", "http://127.0.0.1:" + admin);
        } while (!tune.out().contains("thalweg demo: healthy, observed for ")
                && !tune.out().contains("machine (cpu)")
                && System.nanoTime() - end < 0);
        assertThat(tune.out()).as(tune.err()).containsAnyOf("thalweg demo: healthy, observed for ", "machine (cpu)");
    }

    private static void send(KafkaProducer<byte[], byte[]> producer, String event) throws Exception {
        producer.send(new ProducerRecord<>("rider-events", event.getBytes(StandardCharsets.UTF_8)))
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** Sends an event in each attempt, because on a busy machine it may be late: 20 s pass in the city per second. */
    private void awaitPresent(String get, Sending event) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        String answer;
        do {
            event.send();
            answer = pasted(get);
        } while (!answer.contains("PRESENT") && System.nanoTime() < end);
        assertThat(answer).contains("PRESENT");
    }

    private interface Sending {
        void send() throws Exception;
    }

    private static String deadLetterOf(String rider, String broker) {
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", broker, "auto.offset.reset", "earliest", "group.id", "demo-it"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.subscribe(List.of("rider-events-dead"));
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (System.nanoTime() < end) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    String letter = new String(record.value(), StandardCharsets.UTF_8);
                    if (letter.contains(rider)) {
                        return letter;
                    }
                }
            }
        }
        throw new AssertionError("no dead letter of rider " + rider);
    }

    private static Matcher found(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as(pattern + " in " + text).isTrue();
        return matcher;
    }

    @Tag("faults")
    @Test
    void demo_interrupted_endsAndLeavesNothingBehind() throws Exception {
        try (Subprocess demo = demo(FreePorts.next(), "--speed", 20)) {
            demo.awaitLine(" demand +[\\d,]+ rows this minute", PATIENCE);
            assertThat(temporary).isDirectoryContaining("glob:**thalweg-demo*");
            long begun = System.nanoTime();
            Launched.interrupt(demo);
            assertThat(demo.awaitExit(PATIENCE)).as(demo.stderr().toString()).isZero();
            Duration took = Duration.ofNanos(System.nanoTime() - begun);
            System.out.println("the demo ended " + took.toMillis() + " ms after Ctrl-C");
        }
        assertThat(temporary).isDirectoryNotContaining("glob:**thalweg-demo*");
    }

    /** A line as a person would paste it, from the folder that {@code ./thalweg} is in. */
    private String pasted(String line) {
        if (line.contains("curl ")) {
            assumeThat(isThere("curl")).as("curl is installed").isTrue();
        }
        try (Subprocess shell = Subprocess.start(folder, Map.of(), List.of("bash", "-c", line))) {
            assertThat(shell.awaitExit(PATIENCE)).as(line + shell.stderr()).isZero();
            return String.join("\n", shell.stdout());
        }
    }

    private static int adminPort(Subprocess demo) {
        Matcher said = Pattern.compile("console at http://127\\.0\\.0\\.1:(\\d+)")
                .matcher(demo.stderr().toString());
        assertThat(said.find()).as(demo.stderr().toString()).isTrue();
        return Integer.parseInt(said.group(1));
    }

    private static boolean isThere(String program) {
        try {
            Process process = new ProcessBuilder(program, "--version")
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static String body(int port, String path) {
        try {
            HttpResponse<String> answer = HttpOne.client()
                    .send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                    .timeout(PATIENCE)
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).as(path).isEqualTo(200);
            return answer.body();
        } catch (IOException e) {
            throw new UncheckedIOException(path + " cannot be read", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while reading " + path, e);
        }
    }
}
