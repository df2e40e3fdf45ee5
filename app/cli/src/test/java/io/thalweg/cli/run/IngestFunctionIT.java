package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.records.row.RowFunction;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.Jars;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A function of a user, from its source to the table: that of {@code examples/ingest-function}. */
@Tag("test")
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class IngestFunctionIT {
    private static final Path EXAMPLES = Checkout.file("examples");
    private static final double MAX_KM = 45;
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    private Path project;
    private Path spec;
    private Path events;

    @BeforeEach
    void copyExample() throws IOException {
        project = folder.resolve("ingest-function");
        Files.createDirectories(project.resolve("target"));
        Files.copy(EXAMPLES.resolve("rides.thrift"), folder.resolve("rides.thrift"));
        spec = Files.copy(EXAMPLES.resolve("ingest-function/trips.yaml"), project.resolve("trips.yaml"));
        Files.writeString(
                folder.resolve("thalweg.yaml"),
                "deployment: test\ncheckpoints: {dir: %s}\n".formatted(folder.resolve("checkpoints")));
        events = folder.resolve("trips.bin");
        succeed("generate", spec, "--count", 5_000, "--corrupt", "1%", "--to", events, "--quiet");
    }

    /** Compiles with only the dependencies of a user's project. */
    private void build() {
        Jars.compile(
                EXAMPLES.resolve("ingest-function/src/main/java"),
                project.resolve("target/ingest-function-1.jar"),
                Jars.of(RowFunction.class));
    }

    private static CommandRun succeed(Object... command) {
        CommandRun run = CommandRun.of(command);
        assertThat(run.exit()).as(run.err()).isZero();
        return run;
    }

    private CommandRun ingest(Path definition, Object... options) {
        List<Object> command = new ArrayList<>(List.of(
                "ingest",
                definition,
                "--input",
                events,
                "--config",
                folder.resolve("thalweg.yaml"),
                "--dead-letters",
                folder.resolve("dead.jsonl"),
                "--quiet"));
        command.addAll(List.of(options));
        return CommandRun.of(command.toArray());
    }

    @Test
    void ingest_exampleFunction_rowsAreThoseOfARecount() throws IOException {
        build();
        Path plain = Files.writeString(
                project.resolve("plain.yaml"),
                Files.readString(spec)
                        .replaceFirst("(?s)transform:.*?\nsink: .*?\n", "sink: {parquet: target/plain}\n")
                        .replace("name: trips", "name: plain"));
        assertThat(ingest(plain).exit()).isZero();
        Files.delete(folder.resolve("dead.jsonl"));
        Recount expected = new Recount();
        ParquetFolder.rows(project.resolve("target/plain")).forEach(expected::add);

        CommandRun run = ingest(spec);

        assertThat(run.exit()).as(run.err()).isZero();
        Map<String, Long> account = account(run);
        assertThat(account)
                .containsEntry("events", 5_000L)
                .containsEntry("kept", expected.kept)
                .containsEntry("rows", (long) expected.rows.size())
                .containsEntry("written", (long) expected.rows.size());
        assertThat(account.getOrDefault("filtered", 0L) + account.getOrDefault("bad", 0L))
                .isEqualTo(5_000 - expected.kept);
        assertThat(sorted(ParquetFolder.rows(project.resolve("target/trips")))).isEqualTo(sorted(expected.rows));
        Map<String, Long> letters = letters();
        assertThat(letters)
                .containsEntry("transform rejected", expected.rejected)
                .hasEntrySatisfying("decode undecodable", bad -> assertThat(bad).isPositive());
        assertThat(letters.values().stream().mapToLong(each -> each).sum()).isEqualTo(account.get("bad"));
        assertThat(expected.rejected).isPositive();
        assertThat(expected.rows).hasSizeGreaterThan(Math.toIntExact(expected.kept));
    }

    private static Map<String, Long> account(CommandRun run) {
        Map<String, Long> account = new TreeMap<>();
        String last = run.err().lines().reduce((a, b) -> b).orElse("");
        for (String count : last.split(" ", -1)) {
            if (count.matches("\\w+=\\d+")) {
                account.put(count.replaceFirst("=.*", ""), Long.valueOf(count.replaceFirst(".*=", "")));
            }
        }
        return account;
    }

    private Map<String, Long> letters() throws IOException {
        Map<String, Long> letters = new TreeMap<>();
        for (String line : Files.readAllLines(folder.resolve("dead.jsonl"))) {
            JsonNode letter = JSON.readTree(line);
            letters.merge(
                    letter.get("stage").textValue() + " " + letter.get("reason").textValue(), 1L, Long::sum);
        }
        return letters;
    }

    private static List<Map<String, @Nullable Object>> sorted(List<Map<String, @Nullable Object>> rows) {
        return rows.stream()
                .sorted(Comparator.comparing((Map<String, @Nullable Object> row) -> String.valueOf(row.get("event_id")))
                        .thenComparing(row -> String.valueOf(row.get("promotion"))))
                .toList();
    }

    /** Recomputes the effect of the example from the rows without it. */
    private static final class Recount {
        private final List<Map<String, @Nullable Object>> rows = new ArrayList<>();
        private long kept;
        private long rejected;

        void add(Map<String, @Nullable Object> event) {
            if ("CANCELLED".equals(event.get("status"))) {
                return;
            }
            Map<String, @Nullable Object> row = new LinkedHashMap<>(event);
            Object promotions = row.remove("promotions");
            Object cents = row.remove("fare_cents");
            Double km = km(row.get("pickup"), row.get("dropoff"));
            if (km != null && km > MAX_KM) {
                rejected++;
                return;
            }
            kept++;
            row.put("fare", cents == null ? null : new BigDecimal((Long) cents).movePointLeft(2));
            row.put("distance_km", km);
            List<?> each = promotions instanceof List<?> list && !list.isEmpty() ? list : new ArrayList<>(List.of(""));
            for (Object promotion : each) {
                Map<String, @Nullable Object> one = new LinkedHashMap<>(row);
                one.put("promotion", promotion.equals("") ? null : promotion);
                rows.add(one);
            }
        }

        private static double number(Map<?, ?> place, String name) {
            return (Double) Objects.requireNonNull(place.get(name));
        }

        private static @Nullable Double km(@Nullable Object from, @Nullable Object to) {
            if (!(from instanceof Map<?, ?> pickup) || !(to instanceof Map<?, ?> dropoff)) {
                return null;
            }
            double lat1 = Math.toRadians(number(pickup, "lat"));
            double lat2 = Math.toRadians(number(dropoff, "lat"));
            double half = Math.sin((lat2 - lat1) / 2);
            double turn = Math.sin(Math.toRadians(number(dropoff, "lng") - number(pickup, "lng")) / 2);
            double chord = half * half + Math.cos(lat1) * Math.cos(lat2) * turn * turn;
            return 2 * 6371.0088 * Math.asin(Math.sqrt(Math.min(1, chord)));
        }
    }

    @Test
    void ingest_dryRun_printsTheRowsOfTheFunction() {
        build();
        CommandRun run = ingest(spec, "--dry-run");
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.out().lines().filter(line -> line.startsWith("{\"event_id\"")))
                .hasSize(5)
                .allSatisfy(row -> assertThat(row).doesNotContain("fare_cents"))
                .anySatisfy(row -> assertThat(row).contains("\"distance_km\":"));
        assertThat(run.err()).contains("  rejected ").containsPattern("kept=\\d+ rows=\\d+, nothing written");
        assertThat(project.resolve("target/trips")).doesNotExist();
    }

    @Test
    void validate_function_showsItsColumnsOrWhatIsWrong() throws IOException {
        CommandRun missing = CommandRun.of("validate", spec);
        assertThat(missing.exit()).isEqualTo(2);
        assertThat(missing.err())
                .contains("trips: transform.jars: " + project.resolve("target/ingest-function-1.jar")
                        + " cannot be read; build it");
        build();
        assertThat(succeed("validate", spec).out())
                .contains("columns event_id, ts, status, rider_id, pickup, dropoff, promotion, fare, distance_km"
                        + " by function example.Trips");
        assertThat(succeed("explain", spec).out()).contains("  transform  example.Trips of " + project);
        Files.writeString(spec, Files.readString(spec).replace("max_km: 45", "max_km: far"));
        CommandRun wrong = CommandRun.of("validate", spec);
        assertThat(wrong.exit()).isEqualTo(2);
        assertThat(wrong.err())
                .contains("transform.config: open of example.Trips")
                .contains(
                        "java.lang.NumberFormatException: For input string: \"far\" at example.Trips.open(Trips.java:");
    }
}
