package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.cli.run.FeastClient.Question;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.RingDivisors;
import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.SmallViews;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.redis.RedisOnlineStore;
import io.thalweg.testing.Await;
import io.thalweg.testing.Checkout;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;

/** An unmodified Feast client reads what Thalweg wrote, through the repositories that {@code export feast} creates. */
@Tag("soak")
@Timeout(Await.TIMEOUT_SECONDS)
@SuppressWarnings("NullAway.Init")
class FeastIT {
    private static final String PRODUCT = "17a2b60c-29dd-5f76-95f3-b65da5cbbdbe";
    private static final Path EXAMPLE = Checkout.file("examples/demand.yaml");
    private static final int CELLS = 20;
    private static final Duration PATIENCE = Await.PATIENCE;

    private static FeastClient feast;
    private static int port;
    private static RedisServer redis;

    @TempDir
    Path folder;

    private final long[] cells = LongStream.range(0, CELLS)
            .map(n -> 0x892a0000003ffffL | (n % 7) << 18 | (n / 7) << 24)
            .sorted()
            .toArray();

    @BeforeAll
    static void start() throws IOException {
        feast = FeastClient.installed();
        port = FreePorts.next();
        redis = RedisServer.newRedisServer().port(port).setting("save \"\"").build();
        redis.start();
    }

    @AfterAll
    static void stop() throws IOException {
        if (redis != null) {
            redis.stop();
        }
    }

    @BeforeEach
    void writeFiles() throws IOException {
        String demand = Files.readString(EXAMPLE);
        Files.writeString(folder.resolve("demand.yaml"), laidOut(demand, "feast-scalars"));
        Files.writeString(
                folder.resolve("supply.yaml"), laidOut(demand.replace("name: demand", "name: supply"), "feast-array"));
        Files.writeString(folder.resolve("driver_stats.yaml"), """
                apiVersion: thalweg/v1
                kind: Materialization
                name: driver_stats
                version: 2
                source: {csv: drivers.csv}
                entities: [{name: driver, field: driver_id, type: int64}, {name: city, field: city}]
                features:
                  - {name: trips, type: int64}
                  - {name: rating, field: avg_rating}
                  - {name: vip, type: bool}
                  - {name: home, type: string}
                  - {name: embedding, type: double_list}
                online: {ttl: 1d, layout: feast-scalars}
                """);
        Files.writeString(folder.resolve("drivers.csv"), """
                driver_id,city,trips,avg_rating,vip,home,embedding
                7,Zürich,9007199254740993,4.25,true,Höngg,"[0.1, -2]"
                -1,Zürich,0,0.1,false,,[]
                8,Bern,,3.5,,"a,b",
                """);
        Files.writeString(folder.resolve("thalweg.yaml"), """
                store: {type: redis, uri: "redis://127.0.0.1:%d/1", project: market}
                checkpoints: {dir: %s}
                views: [%s]
                """.formatted(port, folder.resolve("checkpoints"), folder));
    }

    private static String laidOut(String view, String layout) {
        return view.replaceFirst("(?m)^online: .*$", "online: {ttl: 10m, layout: " + layout + "}");
    }

    @Test
    void getOnlineFeatures_ofWhatThalwegWrote_answersIt() throws Exception {
        long end = writeRows();
        assertThat(run("materialize", "driver_stats_v2").err()).contains("rows=3");
        Path repository = folder.resolve("feature_repo");
        run("export", "feast", "--out", repository);

        feast.apply(repository);

        JsonNode answers = feast.read(
                repository,
                new Question(references(view("demand")), asked()),
                new Question(List.of("supply:features"), asked()),
                drivers());
        JsonNode demand = answers.get(0);
        assertScalars(demand, end);
        assertThat(demand.get("demand__k5_8m").get(CELLS).isNull())
                .as("a cell without a row")
                .isTrue();
        assertArrays(answers.get(1), end);
        assertTable(answers.get(2));
    }

    /** The server returns over both of Feast's protocols the rows in Redis, and zeros for cells that have none. */
    @Test
    void getOnlineFeatures_throughThalwegsServer_answersTheSame() throws Exception {
        long end = writeRows();
        String address = "127.0.0.1:" + FreePorts.next();
        Path repository = folder.resolve("served_repo");
        run("export", "feast", "demand", "supply", "--server", "http://" + address, "--out", repository);
        feast.apply(repository);
        List<String> features = new ArrayList<>(references(view("demand")));
        features.addAll(List.of("supply:features", "supply:k5_8m"));
        Question question = new Question(features, asked());

        try (Subprocess serve =
                Launched.start(folder, "serve", "--port", address.substring(address.indexOf(':') + 1))) {
            serve.awaitLine("serving http://" + address, PATIENCE);
            for (JsonNode answer :
                    List.of(feast.read(repository, question).get(0), feast.readOverGrpc(folder, address, question))) {
                assertScalars(answer, end);
                assertArrays(answer, end);
                assertThat(answer.get("supply__k5_8m").get(0).doubleValue())
                        .isEqualTo(values(view("supply"), block(view("supply"), end), 0)[
                                features("supply").indexOf("k5_8m")]);
                assertThat(answer.get("demand__k5_8m").get(CELLS).doubleValue()).isZero();
                assertThat(answer.get("cell").get(0).longValue()).isEqualTo(cells[0]);
            }
        }
    }

    /**
     * Feast joins the rows of the log at the times since when they could be read. Unlike Thalweg, it has no value where a hexagon has
     * had no row for a while.
     */
    @Test
    void getHistoricalFeatures_ofAnExportedLog_areThoseOfTheTrainingSet() throws Exception {
        String demand = Files.readString(SmallViews.demand(folder));
        Files.writeString(folder.resolve("demand.yaml"), laidOut(demand, "feast-scalars") + "offline: true\n");
        Files.writeString(
                folder.resolve("thalweg.yaml"),
                "catalogs: {default: {folder: %s}}\n".formatted(folder.resolve("warehouse")),
                StandardOpenOption.APPEND);
        Path events = Files.write(
                folder.resolve("events.jsonl"),
                Files.readAllLines(Checkout.file("examples/rider-events.jsonl")).subList(0, 50));
        Path rows = folder.resolve("rows.csv");
        run("run", "demand", "--input", events, "--output", rows, "--offline", "--quiet");
        Path repository = folder.resolve("history_repo");
        run("export", "feast", "demand", "--out", repository);
        run("log", "export", "demand", "--feast", "--available", "2s", "--out", repository.resolve("demand.parquet"));
        Path labels = labels(rows);
        Path trained = folder.resolve("trained.csv");
        run(
                "training-set",
                "--spine",
                labels,
                "--time",
                "ts",
                "--views",
                "demand",
                "--available",
                "2s",
                "--out",
                trained,
                "--quiet");

        feast.apply(repository);
        List<Map<String, String>> asked = records(labels);
        JsonNode answer = feast.history(
                repository,
                new Question(
                        references(view("demand")),
                        Map.of(
                                "cell",
                                        asked.stream()
                                                .map(label -> Long.parseLong(label.get("cell"), 16))
                                                .toList(),
                                "product",
                                        asked.stream()
                                                .map(label -> label.get("product"))
                                                .toList(),
                                "event_timestamp",
                                        asked.stream()
                                                .map(label -> label.get("ts"))
                                                .toList())));

        List<Map<String, String>> expected = records(trained);
        int present = 0;
        for (int label = 0; label < asked.size(); label++) {
            for (String feature : features("demand")) {
                String value = expected.get(label).get("demand__" + feature);
                JsonNode found = answer.get("demand__" + feature).get(label);
                if (found.isNull()) {
                    assertThat(value).as("%s of %s", feature, asked.get(label)).isIn("", "0.0");
                } else {
                    assertThat(found.doubleValue()).isEqualTo(Double.parseDouble(value));
                    present += found.doubleValue() == 0 ? 0 : 1;
                }
            }
        }
        assertThat(present).isGreaterThan(100);
    }

    /** Writes labels for every third row: one right before the row could be read, some after it. */
    private Path labels(Path rows) throws IOException {
        List<String> lines = new ArrayList<>(List.of("cell,product,ts"));
        List<Map<String, String>> all = records(rows);
        for (int row = 0; row < all.size(); row += 3) {
            Instant end = Instant.parse(all.get(row).get("window_end"));
            for (String after : List.of("PT1.999S", "PT2S", "PT45S", "PT5M", "PT30M")) {
                lines.add("%s,%s,%s"
                        .formatted(
                                all.get(row).get("cell"),
                                all.get(row).get("product"),
                                end.plus(Duration.parse(after))));
            }
        }
        return Files.write(folder.resolve("labels.csv"), lines);
    }

    /** Reads a CSV file whose values have no commas. */
    private static List<Map<String, String>> records(Path csv) throws IOException {
        List<String> lines = Files.readAllLines(csv);
        String[] names = lines.get(0).split(",", -1);
        return lines.stream()
                .skip(1)
                .map(line -> line.split(",", -1))
                .map(values -> IntStream.range(0, names.length)
                        .boxed()
                        .collect(Collectors.toMap(i -> names[i], i -> values[i])))
                .toList();
    }

    /** A row for each cell but one, as of the last whole minute. */
    private long writeRows() {
        long end = Math.floorDiv(System.currentTimeMillis(), 60_000) * 60_000;
        try (OnlineStore store =
                RedisOnlineStore.open(URI.create("redis://127.0.0.1:" + port + "/1"), "market", Clock.systemUTC())) {
            for (FeatureView view : List.of(view("demand"), view("supply"))) {
                store.write(view, List.of(block(view, end)));
                store.writeProgress(new Progress(view.qualifiedName(), 0, 1, end));
            }
        }
        return end;
    }

    private void assertScalars(JsonNode answer, long end) {
        FeatureView view = view("demand");
        HexRowBlock written = block(view, end);
        for (int feature = 0; feature < view.featureNames().size(); feature++) {
            JsonNode values = answer.get("demand__" + view.featureNames().get(feature));
            for (int row = 0; row < CELLS; row++) {
                assertThat(values.get(row).doubleValue()).isEqualTo(values(view, written, row)[feature]);
            }
        }
    }

    private void assertArrays(JsonNode answer, long end) {
        FeatureView view = view("supply");
        JsonNode arrays = answer.get("supply__features");
        for (int row = 0; row < CELLS; row++) {
            double[] expected = values(view, block(view, end), row);
            assertThat(arrays.get(row)).hasSize(expected.length);
            for (int feature = 0; feature < expected.length; feature++) {
                assertThat(arrays.get(row).get(feature).floatValue()).isEqualTo((float) expected[feature]);
            }
        }
    }

    private List<String> features(String view) {
        return view(view).featureNames();
    }

    private static List<String> references(FeatureView view) {
        return view.featureNames().stream()
                .map(name -> view.qualifiedName() + ":" + name)
                .toList();
    }

    private Question drivers() {
        return new Question(
                references(Definitions.load(List.of(folder.resolve("driver_stats.yaml")))
                        .served()
                        .get(0)),
                Map.of("driver", List.of(7, -1, 8, 7), "city", List.of("Zürich", "Zürich", "Bern", "Bern")));
    }

    private static void assertTable(JsonNode answer) {
        assertThat(answer.get("driver_stats_v2__trips").toString()).isEqualTo("[9007199254740993,0,null,null]");
        assertThat(answer.get("driver_stats_v2__rating").toString()).isEqualTo("[4.25,0.1,3.5,null]");
        assertThat(answer.get("driver_stats_v2__vip").toString()).isEqualTo("[1,0,null,null]");
        assertThat(answer.get("driver_stats_v2__home").toString()).isEqualTo("[\"Höngg\",null,\"a,b\",null]");
        assertThat(answer.get("driver_stats_v2__embedding").toString()).isEqualTo("[[0.1,-2.0],[],null,null]");
    }

    private Map<String, List<?>> asked() {
        List<Long> asked = new ArrayList<>(Arrays.stream(cells).boxed().toList());
        asked.add(0x892a0000003ffffL | 6L << 18 | 6L << 24);
        return Map.of(
                "cell", asked, "product", asked.stream().map(cell -> PRODUCT).toList());
    }

    private static double[] values(FeatureView view, HexRowBlock block, int row) {
        int features = view.featureNames().size();
        return new RingDivisors(view)
                .values(Arrays.copyOfRange(block.sums(), row * features, (row + 1) * features), null);
    }

    private HexRowBlock block(FeatureView view, long windowEndMs) {
        int features = view.featureNames().size();
        return new HexRowBlock(
                BlockHead.ofFinal(view.qualifiedName(), 0, windowEndMs),
                0x852a1007fffffffL,
                List.of(PRODUCT),
                cells,
                new Random(windowEndMs).longs((long) CELLS * features, 0, 5_000).toArray(),
                null);
    }

    private FeatureView view(String name) {
        return Definitions.load(List.of(folder.resolve(name + ".yaml"))).views().get(0);
    }

    private CommandRun run(Object... command) {
        List<Object> all = new ArrayList<>(Arrays.asList(command));
        all.addAll(List.of("--config", folder.resolve("thalweg.yaml")));
        CommandRun run = CommandRun.of(all.toArray());
        assertThat(run.exit()).as(run.err()).isZero();
        return run;
    }
}
