package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.thalweg.kernel.hex.AreaCells;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.Progress;
import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.Samples;
import io.thalweg.server.FeatureServer;
import io.thalweg.server.ServerConfig;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.RocksDbOnlineStore;
import io.thalweg.testing.FakeClock;
import io.thalweg.testing.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs against a real server over a store with a disk of rows of two products. */
final class ScanCommandTest {
    private static final FeatureView VIEW = Samples.view();
    private static final long CELL = HexTiling.of(9).cell(40.7580, -73.9855);
    private static final String HEX = Long.toHexString(CELL);
    private static final long END = Samples.START_MS;

    private static OnlineStore store;
    private static FeatureServer server;

    private final TestConsole console = new TestConsole(Map.of("THALWEG_SERVER", url()));

    @BeforeAll
    static void start(@TempDir Path folder) {
        FakeClock clock = new FakeClock(Instant.ofEpochMilli(END + 1_500));
        store = RocksDbOnlineStore.open(folder, clock);
        long[] cells = Arrays.stream(HexTiling.disk(CELL, 1)).sorted().toArray();
        for (int product = 1; product <= 2; product++) {
            long[] sums = new long[cells.length * VIEW.featureNames().size()];
            for (int i = 0; i < sums.length; i++) {
                sums[i] = product * 100L + i / VIEW.featureNames().size();
            }
            store.write(
                    VIEW,
                    List.of(new HexRowBlock(
                            BlockHead.ofFinal(VIEW.qualifiedName(), 0, END),
                            HexTiling.of(9).tile(CELL),
                            List.of("p" + product),
                            cells,
                            sums,
                            null)));
        }
        store.writeProgress(new Progress(VIEW.qualifiedName(), 0, 1, END));
        server = FeatureServer.start(ServerConfig.loopback(0), List.of(VIEW), store, null, clock, new Metrics());
    }

    @AfterAll
    static void stop() {
        server.stop();
        store.close();
    }

    private static String url() {
        return "http://127.0.0.1:" + server.port();
    }

    @Test
    void scan_top_isATableWithTheGreatestFirst() {
        assertThat(console.run(
                        "scan", "small", "--bbox=-74.05,40.68,-73.90,40.82", "--features", "k0_1m", "--top", "2"))
                .isZero();
        List<String> lines = console.out().lines().toList();
        assertThat(lines.get(0)).matches("[0-9,]+ cells, [0-9,]+ keys: 14 PRESENT, [0-9,]+ ZERO");
        assertThat(lines.get(1)).isEqualTo("small, watermark 2026-01-01T18:00:00Z");
        assertThat(lines.get(2)).matches("cell +product +status +window_end +age +k0_1m");
        assertThat(lines.get(3)).matches("[0-9a-f]+ +p2 +PRESENT +2026-01-01T18:00:00Z +1.5 s +206.0000");
        assertThat(lines.get(4)).matches("[0-9a-f]+ +p2 +PRESENT +2026-01-01T18:00:00Z +1.5 s +205.0000");
        assertThat(lines).hasSize(5);
    }

    @Test
    void scan_aggregate_isATableOfCoarserCells() {
        long coarse = HexTiling.of(6).cell(40.7580, -73.9855);
        long[] below = AreaCells.below(coarse, 9, 343).orElseThrow();
        long[] disk = Arrays.stream(HexTiling.disk(CELL, 1)).sorted().toArray();
        long present = 0;
        long sum = 0;
        for (int i = 0; i < disk.length; i++) {
            long cell = disk[i];
            if (Arrays.stream(below).anyMatch(each -> each == cell)) {
                present++;
                sum += 200 + i;
            }
        }
        assertThat(present).isPositive();
        assertThat(console.run(
                        "scan",
                        "small",
                        "--parent",
                        Long.toHexString(coarse),
                        "--aggregate",
                        "6,sum",
                        "--where",
                        "product=p2",
                        "--features",
                        "k0_1m"))
                .as(console::err)
                .isZero();
        List<String> lines = console.out().lines().toList();
        assertThat(lines.get(2)).matches("cell +product +cells +present +k0_1m");
        assertThat(lines.get(3)).matches("%x +p2 +343 +%d +%d.0000".formatted(coarse, present, sum));
        assertThat(lines).hasSize(4);
    }

    @Test
    void scan_diskParentOrNoRegion_readWhatTheyName() throws IOException {
        assertThat(rows("--disk", HEX + ",1")).isEqualTo(14);
        assertThat(rows("--disk", HEX + ",0", "--where", "product=p1")).isEqualTo(1);
        assertThat(rows("--parent", HEX, "--where", "product=p1", "--where", "product=p2"))
                .isEqualTo(2);
        assertThat(rows()).isEqualTo(14);
    }

    @Test
    void scan_polygon_isReadFromGeoJsonOrPoints(@TempDir Path folder) throws IOException {
        String ring = "[[-74.0,40.74],[-73.97,40.74],[-73.97,40.77],[-74.0,40.77],[-74.0,40.74]]";
        String geometry = "{\"type\":\"Polygon\",\"coordinates\":[" + ring + "]}";
        String feature = "{\"type\":\"Feature\",\"properties\":{},\"geometry\":" + geometry + "}";
        String collection = "{\"type\":\"FeatureCollection\",\"features\":[" + feature + "]}";
        for (String content : List.of(ring, geometry, feature, collection)) {
            Path file = Files.writeString(folder.resolve("area.geojson"), content);
            assertThat(rows("--polygon", file.toString())).as(content).isEqualTo(14);
        }
        Path holes = Files.writeString(folder.resolve("holes.geojson"), geometry.replace("]]]}", "]],[]]}"));
        assertThat(console.run("scan", "small", "--polygon", holes.toString())).isEqualTo(2);
        assertThat(console.err()).contains("holes.geojson must have one polygon without holes");
    }

    private int rows(String... more) throws IOException {
        TestConsole fresh = new TestConsole(Map.of("THALWEG_SERVER", url()));
        String[] command = Arrays.copyOf(new String[] {"scan", "small", "--json"}, 3 + more.length);
        System.arraycopy(more, 0, command, 3, more.length);
        assertThat(fresh.run(command)).as(fresh.err()).isZero();
        JsonNode answer = new JsonMapper().readTree(fresh.out());
        return answer.path("rows").size();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "--bbox=1,2,3 | --bbox must be west,south,east,north in degrees, was '1,2,3'",
                "--bbox=a,b,c,d | --bbox must be west,south,east,north in degrees, was 'a,b,c,d'",
                "--disk=892a1008003ffff | --disk must be a cell and a distance, was '892a1008003ffff'",
                "--top=5 | --top needs --features: it ranks rows by the first",
                "--aggregate=mean | --aggregate must be a resolution and mean, max or sum, was 'mean'",
                "--aggregate=9,mean | aggregate.resolution: must be from 0 to 8, below that of the view, was 9",
                "--where=product | --where must be NAME=VALUE, was 'product'",
                "--polygon=nowhere.json | --polygon: nowhere.json",
                "--bbox=-181,0,0,1 | region.bbox: west and east must be from -180 to 180",
                "--where=produkt=p1 | where.produkt: is not an entity of the view besides its cell; did you mean"
                        + " 'product'?",
            })
    void scan_whatIsWrong_isNamed(String option, String message) {
        assertThat(console.run("scan", "small", option)).isEqualTo(2);
        assertThat(console.err()).startsWith("thalweg: " + message);
    }

    @Test
    void scan_twoRegions_isWrongUseBeforeAServerIsAsked() {
        String unused = "http://127.0.0.1:" + FreePorts.next();
        assertThat(console.run("scan", "small", "--parent", HEX, "--disk", HEX + ",1", "--server", unused))
                .isEqualTo(2);
        assertThat(console.err()).startsWith("thalweg: --bbox, --polygon, --disk and --parent exclude each other");
    }
}
