package io.thalweg.server.region;

import static io.thalweg.server.ServerFixture.DEMAND;
import static io.thalweg.server.ServerFixture.MINUTE;
import static io.thalweg.server.ServerFixture.SUPPLY;
import static io.thalweg.server.ServerFixture.T;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.thalweg.api.v1.EntityValue;
import io.thalweg.api.v1.EntityValues;
import io.thalweg.api.v1.ScanFeaturesRequest;
import io.thalweg.api.v1.ScanFeaturesResponse;
import io.thalweg.api.v1.ServingServiceGrpc;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.Progress;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.DecodedColumns;
import io.thalweg.server.ServerFixture;
import io.thalweg.testing.Exposition;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Scans against {@code :read} of every key of the region; rows around a city, a pentagon and the antimeridian. */
class ScanTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String COLUMNS = "application/vnd.thalweg.columns";
    private static final HexTiling TILING = HexTiling.of(9);
    private static final double[][] PLACES = {
        {40.75, -73.98}, {64.70000013, 10.53619907}, {1.3, 179.999}, {1.3, -179.999}
    };
    private static final List<String> PRODUCTS = List.of(
            "00000000-0000-0000-0000-000000000001",
            "00000000-0000-0000-0000-000000000002",
            "00000000-0000-0000-0000-000000000003");
    private static final FeatureView KEYED =
            Definitions.parse("""
                apiVersion: thalweg/v1
                kind: FeatureView
                name: campaigns
                source: {topic: ads}
                entities: [{name: campaign, field: c}]
                measures: [{count: all}]
                windows: {sizes: [1m], every: 1m}
                online: {ttl: 10m}
                """, "campaigns.yaml").views().get(0);
    private static final FeatureView EMPTY = ServerFixture.view("empty", null);
    private static final FeatureView LATE = ServerFixture.view("late", null);

    @TempDir
    static Path folder;

    private static ServerFixture fixture;

    @BeforeAll
    static void fill() {
        fixture = new ServerFixture(folder, List.of(DEMAND, SUPPLY, KEYED, EMPTY, LATE));
        Random random = new Random(1);
        for (FeatureView view : List.of(DEMAND, SUPPLY)) {
            for (double[] place : PLACES) {
                for (long cell : HexTiling.disk(TILING.cell(place[0], place[1]), 6)) {
                    for (String product : PRODUCTS.subList(0, 2)) {
                        if (random.nextInt(3) > 0) {
                            long end = T - MINUTE * random.nextInt(2);
                            fixture.store.write(view, List.of(block(view, end, product, random.nextInt(3), cell)));
                        }
                    }
                }
            }
        }
        long[] tile = LongStream.range(0, 11_000)
                .map(slot -> TILING.cell(0x852a1007fffffffL, (int) slot))
                .toArray();
        fixture.store.write(DEMAND, List.of(block(DEMAND, T, PRODUCTS.get(2), 5, tile)));
        fixture.progress(T);
        fixture.store.writeProgress(new Progress("empty", 0, 1, T));
    }

    private static HexRowBlock block(FeatureView view, long windowEndMs, String product, int first, long... cells) {
        long[] sums = new long[4 * cells.length];
        Arrays.setAll(sums, i -> first == 0 ? 0 : first + i % 97);
        return new HexRowBlock(
                BlockHead.ofFinal(view.qualifiedName(), 0, windowEndMs),
                TILING.tile(cells[0]),
                List.of(product),
                cells,
                sums,
                null);
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    private static HttpResponse<String> post(String view, String body) throws Exception {
        return fixture.post("/v1/views/" + view + ":scan", body);
    }

    private static JsonNode scan(String view, String body) throws Exception {
        HttpResponse<String> response = post(view, body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JSON.readTree(response.body());
    }

    /** Reads every key of a region separately: the naive twin of a scan. */
    private static Map<String, JsonNode> readAll(String view, long[] cells, List<String> products, String more)
            throws Exception {
        List<String> keys = new ArrayList<>();
        for (String product : products) {
            for (long cell : cells) {
                keys.add("{\"cell\":\"%s\",\"product\":\"%s\"}".formatted(Long.toHexString(cell), product));
            }
        }
        Map<String, JsonNode> rows = new LinkedHashMap<>();
        for (int from = 0; from < keys.size(); from += 1_000) {
            List<String> some = keys.subList(from, Math.min(keys.size(), from + 1_000));
            HttpResponse<String> response = fixture.post(
                    "/v1/views/" + view + ":read", "{\"entities\":[" + String.join(",", some) + "]" + more + "}");
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            for (JsonNode row : JSON.readTree(response.body()).get("rows")) {
                rows.put(row.get("entities").toString(), row);
            }
        }
        return rows;
    }

    private static Map<String, Long> counts(Map<String, JsonNode> read) {
        return read.values().stream()
                .collect(Collectors.groupingBy(row -> row.get("status").asText(), TreeMap::new, Collectors.counting()));
    }

    private static Map<String, Long> counts(JsonNode answer) {
        Map<String, Long> counts = new TreeMap<>();
        answer.get("counts")
                .properties()
                .forEach(count -> counts.put(count.getKey(), count.getValue().asLong()));
        return counts;
    }

    private static void assertAsRead(String view, String region, long[] cells, String more) throws Exception {
        List<String> products = PRODUCTS.subList(0, 2);
        Map<String, JsonNode> read = readAll(view, cells, products, more);
        List<JsonNode> present = read.values().stream()
                .filter(row -> row.get("status").asText().equals("PRESENT"))
                .toList();

        JsonNode answer = scan(
                view,
                "{\"region\":%s,\"where\":{\"product\":[\"%s\"]}%s}"
                        .formatted(region, String.join("\",\"", products), more));

        assertThat(answer.get("rows")).as(region).containsExactlyElementsOf(present);
        assertThat(counts(answer)).isEqualTo(counts(read));
        assertThat(answer.get("cells").asInt()).isEqualTo(cells.length);
        assertThat(answer.get("keys").asInt()).isEqualTo(2 * cells.length);
        read.values().stream()
                .filter(row -> row.get("status").asText().equals("ZERO"))
                .findAny()
                .ifPresent(zero -> {
                    for (String field : List.of("status", "finality", "window_end", "age_ms")) {
                        assertThat(answer.get("rest").get(field)).isEqualTo(zero.get(field));
                    }
                });
    }

    /** Disks, boxes, rings and parents around each place; cells chosen by their centres are compared in the kernel's tests. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void scan_anyRegion_answersWhatReadAnswersForEveryKey(long seed) throws Exception {
        Random random = new Random(seed);
        double[] place = PLACES[random.nextInt(PLACES.length)];
        String view = random.nextBoolean() ? "demand" : "supply";
        String asOf = view.equals("supply") && random.nextBoolean() ? ",\"as_of\":\"2026-01-01T18:00:30Z\"" : "";
        long cell = TILING.cell(place[0], place[1]);
        String hex = Long.toHexString(cell);
        String region = switch (random.nextInt(4)) {
            case 0 -> "{\"disk\":{\"cell\":\"%s\",\"ring\":%d}}".formatted(hex, random.nextInt(9));
            case 1 ->
                "{\"parent\":\"%s\"}".formatted(Long.toHexString(HexTiling.ancestor(cell, 6 + random.nextInt(4))));
            case 2 -> box(place, random);
            default -> triangle(place, random);
        };
        ScanRequest parsed = JsonScans.parse(DEMAND, ("{\"region\":" + region + "}").getBytes(StandardCharsets.UTF_8));
        long[] cells = Objects.requireNonNull(parsed.region()).cells(9);
        assertAsRead(view, region, cells, asOf);
    }

    private static String box(double[] place, Random random) {
        double half = random.nextDouble(0.001, 0.02);
        return "{\"bbox\":[%s,%s,%s,%s]}"
                .formatted(wrapped(place[1] - half), place[0] - half, wrapped(place[1] + half), place[0] + half);
    }

    private static String triangle(double[] place, Random random) {
        List<String> points = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            double angle = 2 * Math.PI * i / 3;
            double radius = random.nextDouble(0.005, 0.03);
            points.add("[%s,%s]"
                    .formatted(wrapped(place[1] + radius * Math.cos(angle)), place[0] + radius * Math.sin(angle)));
        }
        return "{\"polygon\":[" + String.join(",", points) + "]}";
    }

    private static double wrapped(double lng) {
        return lng > 180 ? lng - 360 : lng < -180 ? lng + 360 : lng;
    }

    @Test
    void scan_boxAcrossTheAntimeridian_hasTheRowsOfBothSides() throws Exception {
        JsonNode both = scan("demand", "{\"region\":{\"bbox\":[179.98,1.28,-179.98,1.32]}}");
        JsonNode west = scan("demand", "{\"region\":{\"bbox\":[179.98,1.28,180,1.32]}}");
        JsonNode east = scan("demand", "{\"region\":{\"bbox\":[-180,1.28,-179.98,1.32]}}");

        assertThat(west.get("rows").size()).isPositive();
        assertThat(east.get("rows").size()).isPositive();
        for (String product : PRODUCTS.subList(0, 2)) {
            assertThat(cells(both, product))
                    .containsExactlyInAnyOrderElementsOf(
                            Stream.concat(cells(west, product).stream(), cells(east, product).stream())
                                    .toList());
        }
    }

    private static List<String> cells(JsonNode answer, String product) {
        List<String> cells = new ArrayList<>();
        for (JsonNode row : answer.get("rows")) {
            if (row.get("entities").get("product").asText().equals(product)) {
                cells.add(row.get("entities").get("cell").asText());
            }
        }
        return cells;
    }

    @Test
    void scan_presentRow_answersExactlyTheContract() throws Exception {
        String cell = Long.toHexString(TILING.cell(0x852a1007fffffffL, 0));
        assertThat(post(
                                "demand",
                                "{\"region\":{\"parent\":\"%s\"},\"where\":{\"product\":\"%s\"},\"features\":[\"k1_1m\"]}"
                                        .formatted(cell, PRODUCTS.get(2)))
                        .body())
                .isEqualTo(
                        "{\"view\":\"demand\",\"watermark\":\"2026-01-01T18:01:00Z\",\"features\":[\"k1_1m\"],\"cells\":1,\"keys\":1,"
                                + "\"counts\":{\"PRESENT\":1},\"rest\":{\"status\":\"ZERO\",\"finality\":\"FINAL\","
                                + "\"window_end\":\"2026-01-01T18:01:00Z\",\"age_ms\":1000},"
                                + "\"rows\":[{\"entities\":{\"cell\":\"" + cell + "\",\"product\":\"" + PRODUCTS.get(2)
                                + "\"},\"status\":\"PRESENT\",\"finality\":\"FINAL\","
                                + "\"window_end\":\"2026-01-01T18:01:00Z\",\"age_ms\":1000,\"values\":[1.0]}]}\n");
    }

    @Test
    void scan_noWhere_readsEveryGroupThatHasRowsThere() throws Exception {
        JsonNode answer = scan("demand", "{\"region\":{\"bbox\":[10.5,64.69,10.57,64.71]}}");
        assertThat(answer.get("keys").asLong())
                .isEqualTo(2 * answer.get("cells").asLong());
        assertThat(counts(answer).get("PRESENT")).isEqualTo(answer.get("rows").size());
    }

    @Test
    void scan_noRegion_readsEveryTileThatHasRows() throws Exception {
        String where = "\"where\":{\"product\":[\"%s\",\"%s\"]}".formatted(PRODUCTS.get(0), PRODUCTS.get(1));
        JsonNode all = scan("demand", "{" + where + "}");
        long parts = 0;
        for (double[] place : PLACES) {
            String cell = Long.toHexString(TILING.cell(place[0], place[1]));
            if (place[1] > -179) { // the disks at the antimeridian overlap
                parts += scan(
                                "demand",
                                "{\"region\":{\"disk\":{\"cell\":\"%s\",\"ring\":50}},%s}".formatted(cell, where))
                        .get("rows")
                        .size();
            }
        }
        assertThat(all.get("rows").size()).isEqualTo(parts);
        assertThat(scan("empty", "{}").get("keys").asLong()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 20, 1_000})
    void scan_top_areTheGreatestRows(int n) throws Exception {
        String region =
                "{\"disk\":{\"cell\":\"%s\",\"ring\":20}}".formatted(Long.toHexString(TILING.cell(40.75, -73.98)));
        List<Double> expected = new ArrayList<>();
        for (JsonNode row : scan("demand", "{\"region\":" + region + ",\"features\":[\"k1_2m\"]}")
                .get("rows")) {
            expected.add(row.get("values").get(0).asDouble());
        }
        expected.sort(Comparator.reverseOrder());

        JsonNode top = scan(
                "demand",
                "{\"region\":%s,\"features\":[\"k0_1m\",\"k1_2m\"],\"top\":{\"n\":%d,\"by\":\"k1_2m\"}}"
                        .formatted(region, n));

        List<Double> values = new ArrayList<>();
        top.get("rows").forEach(row -> values.add(row.get("values").get(1).asDouble()));
        assertThat(values).isEqualTo(expected.subList(0, Math.min(n, expected.size())));
        assertThat(counts(top).get("PRESENT")).isEqualTo(expected.size());
    }

    /** Zero cells of the region count in the mean. */
    @ParameterizedTest
    @CsvSource({"mean,7", "max,8", "sum,6", "mean,0"})
    void scan_aggregate_isThatOfTheReadRows(String by, int resolution) throws Exception {
        String region =
                "{\"disk\":{\"cell\":\"%s\",\"ring\":9}}".formatted(Long.toHexString(TILING.cell(40.75, -73.98)));
        long[] cells = HexTiling.disk(TILING.cell(40.75, -73.98), 9);
        Map<String, List<Double>> below = new TreeMap<>();
        for (JsonNode row : readAll("demand", cells, PRODUCTS.subList(0, 1), ",\"features\":[\"k0_2m\"]")
                .values()) {
            long cell = Long.parseUnsignedLong(row.get("entities").get("cell").asText(), 16);
            below.computeIfAbsent(Long.toHexString(HexTiling.ancestor(cell, resolution)), key -> new ArrayList<>())
                    .add(row.get("values").get(0).asDouble());
        }
        JsonNode answer = scan(
                "demand",
                "{\"region\":%s,\"where\":{\"product\":\"%s\"},\"features\":[\"k0_2m\"],\"aggregate\":{\"resolution\":%d,\"by\":\"%s\"}}"
                        .formatted(region, PRODUCTS.get(0), resolution, by));

        below.values().removeIf(values -> values.stream().allMatch(value -> value == 0));
        assertThat(answer.get("rows").size()).isEqualTo(below.size());
        for (JsonNode row : answer.get("rows")) {
            List<Double> values =
                    below.getOrDefault(row.get("entities").get("cell").asText(), List.of());
            double sum = values.stream().mapToDouble(value -> value).sum();
            double expected = switch (by) {
                case "mean" -> sum / values.size();
                case "sum" -> sum;
                default -> values.stream().mapToDouble(value -> value).max().orElse(-1);
            };
            assertThat(row.get("cells").asInt()).isEqualTo(values.size());
            assertThat(row.get("present").asLong())
                    .isEqualTo(values.stream().filter(value -> value > 0).count());
            assertThat(row.get("values").get(0).asDouble()).isCloseTo(expected, within(1e-9));
        }
    }

    @Test
    void scan_viewThatIsBehind_hasNoRows() throws Exception {
        fixture.store.write(LATE, List.of(block(LATE, T, PRODUCTS.get(0), 1, ServerFixture.CELL)));
        JsonNode answer = scan("late", "{\"region\":{\"disk\":{\"cell\":\"892a1008003ffff\",\"ring\":1}}}");
        assertThat(answer.get("rows")).isEmpty();
        assertThat(answer.get("counts").toString()).isEqualTo("{\"OUTSIDE_MAX_AGE\":7}");
        assertThat(answer.get("rest").toString())
                .isEqualTo("{\"status\":\"OUTSIDE_MAX_AGE\",\"finality\":null,\"window_end\":null,\"age_ms\":null}");
    }

    /** The columns contain the same values as the rows of JSON. */
    @ParameterizedTest
    @ValueSource(
            strings = {"", ",\"aggregate\":{\"resolution\":8,\"by\":\"mean\"}", ",\"top\":{\"n\":7,\"by\":\"k0_1m\"}"})
    void scan_asColumns_areTheRowsOfJson(String more) throws Exception {
        String body = "{\"region\":{\"disk\":{\"cell\":\"%s\",\"ring\":7}},\"features\":[\"k1_2m\",\"k0_1m\"]%s}"
                .formatted(Long.toHexString(TILING.cell(40.75, -73.98)), more);
        JsonNode rows = scan("demand", body).get("rows");

        HttpResponse<byte[]> response = fixture.http.send(
                HttpRequest.newBuilder(fixture.uri("/v1/views/demand:scan"))
                        .header("accept", COLUMNS)
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofByteArray());

        assertThat(response.headers().firstValue("content-type")).hasValue(COLUMNS);
        DecodedColumns decoded = DecodedColumns.of(response.body());
        JsonNode head = decoded.head();
        assertThat(head.get("row_count").asInt()).isEqualTo(rows.size());
        for (int row = 0; row < rows.size(); row++) {
            JsonNode expected = rows.get(row);
            int next = 0;
            for (Map.Entry<String, List<@Nullable Object>> column :
                    decoded.columns().entrySet()) {
                String name = column.getKey();
                Object value = column.getValue().get(row);
                switch (name) {
                    case "cell" ->
                        assertThat(Long.toHexString((long) value))
                                .isEqualTo(expected.get("entities").get("cell").asText());
                    case "group" ->
                        assertThat(head.get("groups").get((int) value).get("product"))
                                .isEqualTo(expected.get("entities").get("product"));
                    case "status" -> assertThat(value).isEqualTo(1);
                    case "finality" -> assertThat(value).isEqualTo(2);
                    case "window_end" ->
                        assertThat(Instant.ofEpochMilli((long) value))
                                .hasToString(expected.get("window_end").asText());
                    case "cells", "present" ->
                        assertThat(value).isEqualTo(expected.get(name).asInt());
                    default -> {
                        assertThat(name)
                                .isEqualTo(head.get("features").get(next).asText());
                        assertThat(value)
                                .isEqualTo(expected.get("values").get(next++).asDouble());
                    }
                }
            }
        }
    }

    @Test
    void scan_overGrpc_streamsTheSameRows() throws Exception {
        String cell = Long.toHexString(TILING.cell(0x852a1007fffffffL, 343));
        JsonNode json = scan(
                "demand",
                "{\"region\":{\"disk\":{\"cell\":\"%s\",\"ring\":30}},\"where\":{\"product\":\"%s\"},\"features\":[\"k0_1m\"]}"
                        .formatted(cell, PRODUCTS.get(2)));
        ManagedChannel channel = channel();
        try {
            Iterator<ScanFeaturesResponse> messages = ServingServiceGrpc.newBlockingStub(channel)
                    .scanFeatures(ScanFeaturesRequest.newBuilder()
                            .setView("demand")
                            .setRegion(ScanFeaturesRequest.Region.newBuilder()
                                    .setDisk(ScanFeaturesRequest.Disk.newBuilder()
                                            .setCell(cell)
                                            .setRing(30)))
                            .putWhere(
                                    "product",
                                    EntityValues.newBuilder()
                                            .addValues(EntityValue.newBuilder().setStringValue(PRODUCTS.get(2)))
                                            .build())
                            .addFeatures("k0_1m")
                            .build());
            var head = messages.next().getHead();
            assertThat(head.getCells()).isEqualTo(json.get("cells").asLong());
            assertThat(head.getRowCount()).isEqualTo(json.get("rows").size()).isGreaterThan(1_000);
            List<String> rows = new ArrayList<>();
            messages.forEachRemaining(message -> {
                for (int i = 0; i < message.getRows().getCellsCount(); i++) {
                    rows.add(Long.toHexString(message.getRows().getCells(i)) + " "
                            + message.getRows().getValues(i));
                }
            });
            List<String> expected = new ArrayList<>();
            json.get("rows")
                    .forEach(row -> expected.add(row.get("entities").get("cell").asText() + " "
                            + row.get("values").get(0).asDouble()));
            assertThat(rows).isEqualTo(expected);
        } finally {
            channel.shutdownNow();
        }
    }

    @Test
    void scan_overGrpcWithProblems_isRefusedWithAll() {
        ManagedChannel channel = channel();
        try {
            assertThat(catchThrowableOfType(
                            StatusRuntimeException.class,
                            () -> ServingServiceGrpc.newBlockingStub(channel)
                                    .scanFeatures(ScanFeaturesRequest.newBuilder()
                                            .setView("demand")
                                            .setRegion(ScanFeaturesRequest.Region.getDefaultInstance())
                                            .setAggregate(ScanFeaturesRequest.Aggregate.getDefaultInstance())
                                            .build())
                                    .next()))
                    .satisfies(e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT))
                    .hasMessageContaining("region: must have one of")
                    .hasMessageContaining("aggregate.by: must be MEAN, MAX or SUM");
        } finally {
            channel.shutdownNow();
        }
    }

    private static ManagedChannel channel() {
        return ManagedChannelBuilder.forAddress("127.0.0.1", fixture.server.port())
                .usePlaintext()
                .build();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"regions\":{}} | regions: is not a key of a scan; did you mean 'region'",
                "{\"region\":{}} | region: must have one of bbox, polygon, disk and parent, had none",
                "{\"region\":{\"bbox\":[1,2,3]}} | region.bbox: must be 4 numbers, west, south, east, north, was 3",
                "{\"region\":{\"bbox\":[1,2,3,\"a\"]}} | region.bbox: must be 4 numbers",
                "{\"region\":{\"bbox\":[-181,2,3,4]}} | region.bbox: west and east must be from -180 to 180, were"
                        + " -181.0 and 3.0",
                "{\"region\":{\"bbox\":[-180,-90,180,90]}} | region.bbox: has about 4,842,432,842 cells of resolution"
                        + " 9, at most 200,000",
                "{\"region\":{\"parent\":\"8029fffffffffff\"}} | region.parent: has 40,353,607 cells of resolution 9",
                "{\"region\":{\"parent\":\"8a2a1008003ffff\"}} | region.parent: '8a2a1008003ffff' is not an H3 cell",
                "{\"region\":{\"parent\":\"8a2a10080007fff\"}} | region.parent: must have at most the resolution of"
                        + " the view, 9, was 10",
                "{\"region\":{\"disk\":{\"cell\":\"892a1008003ffff\",\"ring\":51}}} | region.disk.ring: must be from 0"
                        + " to 50, was 51",
                "{\"region\":{\"disk\":{\"cell\":\"882a100801fffff\",\"ring\":1}}} | region.disk.cell: resolution 8,"
                        + " view has 9",
                "{\"region\":{\"disk\":{\"cell\":1}}} | region.disk.ring: must be a whole number, was missing",
                "{\"region\":{\"polygon\":[[1,2],[3,4]]}} | region.polygon: must have at least 3 different points, had"
                        + " 2",
                "{\"region\":{\"polygon\":[[1,2],[3],[5,6]]}} | region.polygon[1]: must be a point [longitude,"
                        + " latitude], was [3]",
                "{\"where\":{\"produkt\":\"x\"}} | where.produkt: is not an entity of the view besides its cell; did"
                        + " you mean 'product'",
                "{\"where\":{\"product\":[\"x\"]}} | where.product: must be a UUID such as",
                "{\"where\":{\"cell\":\"892a1008003ffff\"}} | where.cell: is the cell; region chooses cells",
                "{\"features\":[\"k9_1m\"]} | features[0]: 'k9_1m' is not a feature of view demand",
                "{\"top\":{\"n\":0,\"by\":\"k0_1m\"}} | top.n: must be from 1 to 1000, was 0",
                "{\"top\":{\"n\":5,\"by\":\"k0_9m\"}} | top.by: 'k0_9m' is not a feature of view demand",
                "{\"aggregate\":{\"resolution\":9,\"by\":\"mean\"}} | aggregate.resolution: must be from 0 to 8, below"
                        + " that of the view, was 9",
                "{\"aggregate\":{\"resolution\":7,\"by\":\"median\"}} | aggregate.by: must be mean, max or sum, was"
                        + " \"median\"",
                "{\"as_of\":\"2026-01-01T18:00:00Z\"} | as_of: view demand keeps the newest rows only; set"
                        + " online.history",
                "{\"region\":{\"parent\":\"842a101ffffffff\"}} | rows: the region has",
            })
    void scan_whatIsWrong_isNamedWithTheRule(String body, String message) throws Exception {
        HttpResponse<String> response = post("demand", body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertThat(JSON.readTree(response.body()).get("error").get("message").asText())
                .contains(message);
    }

    @Test
    void scan_severalProblems_areReportedTogether() throws Exception {
        HttpResponse<String> response =
                post("demand", "{\"region\":{\"bbox\":[0]},\"top\":{\"n\":-1},\"aggregate\":7,\"x\":1}");
        assertThat(JSON.readTree(response.body()).get("error").get("details").size())
                .isEqualTo(4);
    }

    @Test
    void scan_viewWithoutCellsOrUnknown_isRefused() throws Exception {
        assertThat(post("campaigns", "{}").body()).contains("view campaigns has no cell", "campaigns:read");
        assertThat(post("demandd", "{}").statusCode()).isEqualTo(404);
    }

    @Test
    void scan_bodyThatIsLong_isRefusedBeforeItIsParsed() throws Exception {
        HttpResponse<String> response = post("demand", "{\"where\":{\"product\":\"" + "x".repeat(140_000) + "\"}}");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("the body of a scan must have at most 131072 bytes");
    }

    @Test
    void scan_formThatIsUnknown_isRefused() throws Exception {
        HttpResponse<String> response = fixture.http.send(
                HttpRequest.newBuilder(fixture.uri("/v1/views/demand:scan"))
                        .header("accept", "text/csv")
                        .POST(HttpRequest.BodyPublishers.ofString("{}"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("accept: must be application/json", COLUMNS, ", was text/csv");
    }

    /** Random combinations of pieces of requests are answered or refused, but never fail. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void scan_anyBody_isAnsweredOrRefused(long seed) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < 20; i++) {
            String body = object(random, 0);
            if (random.nextInt(4) == 0) {
                body = body.substring(0, random.nextInt(body.length() + 1));
            }
            HttpResponse<String> response = post(random.nextBoolean() ? "demand" : "supply", body);
            assertThat(response.statusCode()).as(body + " " + response.body()).isIn(200, 400);
        }
    }

    private static String object(Random random, int depth) {
        List<String> names = List.of(
                "region",
                "region",
                "region",
                "where",
                "features",
                "top",
                "aggregate",
                "as_of",
                "bbox",
                "bbox",
                "polygon",
                "disk",
                "parent",
                "cell",
                "ring",
                "product",
                "n",
                "by",
                "resolution",
                "x");
        Map<String, String> fields = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            fields.put(names.get(random.nextInt(names.size())), value(random, depth + 1));
        }
        return fields.entrySet().stream()
                .map(field -> "\"" + field.getKey() + "\":" + field.getValue())
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String value(Random random, int depth) {
        return switch (random.nextInt(depth > 3 ? 7 : 10)) {
            case 0 -> "null";
            case 1 -> String.valueOf(random.nextInt(-200, 200));
            case 2 -> String.valueOf(random.nextDouble(-180, 180));
            case 3 ->
                List.of("1e400", "-1e-400", "9223372036854775808", "true", "\"\"")
                        .get(random.nextInt(5));
            case 4 -> "\"892a1008003ffff\"";
            case 5 ->
                List.of("\"k0_1m\"", "\"mean\"", "\"2026-01-01T18:01:00Z\"", "\"852a1007fffffff\"")
                        .get(random.nextInt(4));
            case 6 -> "[-74.05,40.68,-73.9,40.82]";
            case 7 -> "[[1,2],[3,4],[5," + random.nextInt(-100, 100) + "]]";
            case 8 -> "[" + value(random, depth + 1) + "," + value(random, depth + 1) + "]";
            default -> object(random, depth);
        };
    }

    @Test
    void scan_isMeasuredAndProtectedAsAnEndpointOfItsOwn() throws Exception {
        JsonNode unused = scan("demand", "{\"region\":{\"parent\":\"892a1008003ffff\"}}");
        Exposition page = Exposition.of(fixture.get("/metrics").body());
        assertThat(page.value("thalweg_scan_seconds_count{view=\"demand\"}")).isPositive();
        assertThat(fixture.get("/metrics").body())
                .contains("qos_requests_total{endpoint=\"POST /v1/views/NAME:scan\",");
    }
}
