package io.thalweg.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.model.Definitions;
import io.thalweg.model.deployment.ClockSpec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the printed lines in a shell, with a stand-in for {@code kcat} and for Python's client that only prints the event. */
class ProducerLinesTest {
    private static final ClockSpec CITY = new ClockSpec(System.currentTimeMillis(), 1_767_600_000_000L, 10);

    @TempDir
    private Path folder;

    @Test
    void toPaste_kcatLine_sendsAnEventStampedWithCityTime() throws Exception {
        assumeTrue(run("perl -MTime::HiRes -e 1").status() == 0, "needs perl");
        String line = lineWith("kcat -P");

        JsonNode event = eventSentBetween(line.substring(0, line.indexOf("| kcat")));

        assertThat(event.get("event_type").textValue()).isEqualTo("request");
        assertThat(line).endsWith("| kcat -P -b 127.0.0.1:9092 -t rider-events");
    }

    @Test
    void toPaste_pythonLine_sendsAnEventStampedWithCityTime() throws Exception {
        assumeTrue(run("python3 -c 1").status() == 0, "needs python3");
        Files.writeString(folder.resolve("confluent_kafka.py"), """
                class Producer:
                    def __init__(self, settings): assert settings == {'bootstrap.servers': '127.0.0.1:9092'}
                    def list_topics(self): pass
                    def produce(self, topic, value): assert topic == 'rider-events'; print(value)
                    def flush(self): pass
                """);

        JsonNode event = eventSentBetween(lineWith("python3 -c"));

        assertThat(event.get("event_type").textValue()).isEqualTo("request");
    }

    /** Runs a line and checks that its event carries the city's time at that moment. */
    private JsonNode eventSentBetween(String line) throws Exception {
        long beforeMs = CITY.nowMs(System.currentTimeMillis());
        Output output = run(line);
        long afterMs = CITY.nowMs(System.currentTimeMillis());

        assertThat(output.status()).as(output.text()).isZero();
        JsonNode event = new ObjectMapper().readTree(output.text());
        // The clocks of the two processes are read to the millisecond, which is 10 ms of city time.
        assertThat(event.get("ts").longValue()).isBetween(beforeMs - 10, afterMs + 10);
        return event;
    }

    private static String lineWith(String part) {
        FeatureView riders = Definitions.load(List.of(Checkout.file("examples/demand.yaml")))
                .views()
                .get(0);
        return new ProducerLines("127.0.0.1:9092", CITY, List.of(riders))
                .toPaste("http://127.0.0.1:8080").stream()
                        .filter(line -> line.contains(part))
                        .findFirst()
                        .orElseThrow();
    }

    private record Output(int status, String text) {}

    private Output run(String line) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", line).redirectErrorStream(true);
        Map<String, String> environment = builder.environment();
        environment.put("PYTHONPATH", folder.toString());
        Process process = builder.start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Output(process.waitFor(), text.strip());
    }
}
