package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.Definitions;
import io.thalweg.model.deployment.Access;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyColumns;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.RowOrder;
import io.thalweg.model.row.ValueColumns;
import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.Samples;
import io.thalweg.server.FeatureServer;
import io.thalweg.server.ServerConfig;
import io.thalweg.server.telemetry.Metrics;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.RocksDbOnlineStore;
import io.thalweg.testing.FakeClock;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.TestCertificate;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs against a real server over a store with one row of a small view and one of a wide view. */
final class GetCommandTest {
    private static final FeatureView SMALL = Samples.view();
    private static final FeatureView WIDE = Definitions.parse(
                    Samples.VIEW
                            .replace("name: small", "name: wide")
                            .replace("[0, 2]", "[0, 1, 5]")
                            .replace("[1m, 2m]", "[1m, 2m, 4m]"),
                    "wide.yaml")
            .views()
            .get(0);
    private static final FeatureView KEYED =
            Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: keyed
                    source: {topic: clicks}
                    entities: [{name: campaign, field: c}, {name: shop, field: s, type: int64}]
                    measures: [{name: views, count: all}, {name: most, max: cost}]
                    windows: {sizes: [1m], every: 1m}
                    """, "keyed.yaml").views().get(0);
    private static final FeatureView TABLE =
            Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: Materialization
                    name: profiles
                    source: {csv: profiles.csv}
                    entities: [{name: rider, field: id}]
                    features: [{name: home, type: string}, {name: embedding, type: double_list}]
                    """, "profiles.yaml").served().get(0);
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
        for (FeatureView view : List.of(SMALL, WIDE)) {
            long[] sums = new long[view.featureNames().size()];
            Arrays.setAll(sums, i -> i);
            HexRowBlock block = new HexRowBlock(
                    BlockHead.ofFinal(view.qualifiedName(), 0, END), 0, List.of("pool"), new long[] {CELL}, sums, null);
            store.write(view, List.of(block));
            store.writeProgress(new Progress(view.qualifiedName(), 0, 1, END));
        }
        writeKeyed("c1", END, Finality.FINAL, 3, 2.5);
        writeKeyed("c2", END + 60_000, Finality.PARTIAL, 1L << 60, Double.NaN);
        store.writeProgress(new Progress("keyed", 0, 1, END));
        writeProfile("r1", 0.5, -2);
        writeProfile("r2", 1, 2, 3, 4);
        store.writeProgress(new Progress("profiles", 0, 1, END));
        server = FeatureServer.start(
                ServerConfig.loopback(0), List.of(SMALL, WIDE, KEYED, TABLE), store, null, clock, new Metrics());
    }

    /** A row with a maximum, NaN for none. */
    private static void writeKeyed(String campaign, long windowEndMs, Finality finality, long views, double most) {
        KeyedRowBlock block = new KeyedRowBlock(
                new BlockHead("keyed", 0, new RowOrder(windowEndMs, finality, finality == Finality.FINAL ? 0 : 1)),
                KeyColumns.ofBytes(new KeyCodec(KEYED).bytes(List.of(campaign, 7L))),
                ValueColumns.ofNumbers(
                        new long[2],
                        new long[] {views, Double.doubleToRawLongBits(most)},
                        new boolean[] {false, Double.isNaN(most)}));
        store.write(KEYED, List.of(block));
    }

    private static void writeProfile(String rider, double... embedding) {
        ByteBuffer list = ByteBuffer.allocate(embedding.length * Double.BYTES);
        list.asDoubleBuffer().put(embedding);
        KeyedRowBlock block = new KeyedRowBlock(
                BlockHead.ofFinal("profiles", 0, END),
                KeyColumns.ofBytes(new KeyCodec(TABLE).bytes(List.of(rider))),
                new ValueColumns(new long[2], new long[2], new boolean[2], new byte[][] {
                    "Zürich".getBytes(StandardCharsets.UTF_8), list.array()
                }));
        store.write(TABLE, List.of(block));
    }

    @Test
    void get_table_printsTextAndHowListsBegin() {
        console.in("{\"rider\":\"r1\"}\n{\"rider\":\"r2\"}\n");
        assertThat(console.run("get", "profiles", "--keys", "-")).isZero();
        assertThat(console.out())
                .containsPattern("r1 .* Zürich +\\[0.5000 -2.0000\\]\n")
                .containsPattern("r2 .* Zürich +\\[1.0000 2.0000 3.0000 … 4\\]\n");
    }

    /** Runs against a port of its own that requires TLS and a token. */
    @Test
    void get_securedServer_needsTokenAndAuthority(@TempDir Path folder) throws Exception {
        TestCertificate certificate = TestCertificate.create(folder, "server");
        Path callers = folder.resolve("callers.yaml");
        assertThat(console.run("token", "checkout", "--callers", callers.toString()))
                .isZero();
        Path token = Files.writeString(folder.resolve("token"), console.out());
        Access access = new Access(new Access.Tls(certificate.certificate(), certificate.key(), null), callers, false);
        FeatureServer secured = FeatureServer.start(
                ServerConfig.loopback(0).withBind("127.0.0.1", access),
                List.of(WIDE),
                store,
                null,
                new FakeClock(Instant.ofEpochMilli(END + 1_500)),
                new Metrics());
        try {
            String url = "https://localhost:" + secured.port();
            String[] read = {"get", "wide", "-e", "cell=" + HEX, "-e", "product=pool", "--server", url};
            TestConsole trusting = new TestConsole(
                    Map.of("THALWEG_CA", certificate.certificate().toString()));
            assertThat(trusting.run(with(read, "--token-file", token.toString())))
                    .isZero();
            assertThat(trusting.out()).contains(HEX);
            assertThat(trusting.run(read)).isEqualTo(2);
            assertThat(trusting.err())
                    .contains("authorization: must be Bearer and a token")
                    .contains("put a token into THALWEG_TOKEN or --token-file");
            TestConsole proven = new TestConsole(
                    Map.of("THALWEG_TOKEN", Files.readString(token).strip()));
            assertThat(proven.run(read)).isEqualTo(1);
            assertThat(proven.err()).contains("cannot reach " + url).contains("--ca");
            assertThat(proven.run(with(read, "--ca", certificate.certificate().toString())))
                    .isZero();
            assertThat(proven.run(with(read, "--ca", callers.toString()))).isEqualTo(2);
        } finally {
            secured.close();
        }
    }

    private static String[] with(String[] command, String... more) {
        return Stream.concat(Stream.of(command), Stream.of(more)).toArray(String[]::new);
    }

    @Test
    void get_keyedView_printsCountsAsTheyAre() {
        console.in("{\"campaign\":\"c1\"}\n{\"campaign\":\"c2\"}\n{\"campaign\":\"c3\"}\n");
        assertThat(console.run("get", "keyed", "--keys", "-", "-e", "shop=7")).isZero();
        assertThat(console.out())
                .startsWith("keyed, watermark 2026-01-01T18:00:00Z\n")
                .containsPattern("c1 +7 +PRESENT +2026-01-01T18:00:00Z +1.5 s +3 +2.5000\n")
                .containsPattern("c2 +7 +PRESENT, PARTIAL +2026-01-01T18:01:00Z +-58.5 s +1152921504606846976 +-\n")
                .containsPattern("c3 +7 +NOT_FOUND +- +- +- +-\n");
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
    void get_fewFeatures_areALinePerKey() {
        assertThat(console.run("get", "small", "-e", "cell=" + HEX, "-e", "product=pool"))
                .isZero();
        assertThat(console.out()).isEqualTo("""
                        small, watermark 2026-01-01T18:00:00Z
                        cell             product  status   window_end            age    k0_1m   k0_2m   k2_1m   k2_2m
                        %s  pool     PRESENT  2026-01-01T18:00:00Z  1.5 s      0  0.5000  0.1053  0.0789
                        """.formatted(HEX));
    }

    @Test
    void get_manyFeatures_areAMatrixOfRingsAndWindows() {
        assertThat(console.run("get", "wide", "-e", "cell=" + HEX, "-e", "product=pool"))
                .isZero();
        assertThat(console.out()).isEqualTo("""
                        wide, watermark 2026-01-01T18:00:00Z

                        cell=%s product=pool: PRESENT, window_end 2026-01-01T18:00:00Z, age 1.5 s
                                  1m      2m      4m
                          k0       0  0.5000  0.5000
                          k1  0.4286  0.2857  0.1786
                          k5  0.0659  0.0385  0.0220
                        """.formatted(HEX));
    }

    @Test
    void get_at_readsTheCellOfThePlace() {
        assertThat(console.run("get", "small", "--at", "40.7580,-73.9855", "-e", "product=pool"))
                .isZero();
        assertThat(console.out()).contains(HEX + "  pool     PRESENT");
    }

    @Test
    void get_featuresNamed_areThoseInTheirOrder() {
        assertThat(console.run("get", "small", "-e", "cell=" + HEX, "-e", "product=pool", "--features", "k2_2m,k0_2m"))
                .isZero();
        assertThat(console.out()).containsPattern("age +k2_2m +k0_2m\n").contains("0.0789  0.5000");
    }

    @Test
    void get_json_isTheServersAnswer() throws IOException {
        assertThat(console.run("get", "small", "-e", "cell=" + HEX, "-e", "product=pool", "--json"))
                .isZero();
        JsonNode row = new JsonMapper().readTree(console.out()).path("rows").path(0);
        assertThat(row.path("status").asText()).isEqualTo("PRESENT");
        assertThat(row.path("values").path(2).doubleValue()).isEqualTo(2 / 19.0);
    }

    @Test
    void get_keys_areReadTogether(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("keys.jsonl"), "{\"product\":\"pool\"}\n{\"product\":\"solo\"}\n");
        assertThat(console.run("get", "small", "--keys", file.toString(), "-e", "cell=" + HEX))
                .isZero();
        assertThat(console.out()).containsPattern("pool +PRESENT").containsPattern("solo +ZERO");
    }

    @Test
    void get_keysThatAreNoObjects_nameTheLine() {
        console.in("{\"product\":\"pool\"}\n[1]\n");
        assertThat(console.run("get", "small", "--keys", "-")).isEqualTo(2);
        assertThat(console.err()).startsWith("thalweg: -:2: must be a JSON object of entities, was [1]\n");
    }

    @Test
    void get_unknownView_tellsWhatTheServerSays() {
        assertThat(console.run("get", "smal", "-e", "cell=" + HEX)).isEqualTo(2);
        assertThat(console.err())
                .startsWith("thalweg: ")
                .contains("smal", "'small'")
                .hasLineCount(1);
    }

    @Test
    void get_malformedKey_tellsWhatTheServerSays() {
        assertThat(console.run("get", "small", "-e", "cell=nonsense", "-e", "product=pool"))
                .isEqualTo(2);
        assertThat(console.err()).startsWith("thalweg: entities[0].cell: ").hasLineCount(1);
    }

    @Test
    void get_noPlace_isWrongUse() {
        assertThat(console.run("get", "small", "--at", "95,0")).isEqualTo(2);
        assertThat(console.err())
                .startsWith("thalweg: --at must be latitude,longitude in degrees, was '95,0': the latitude");
    }

    @Test
    void get_liveAsOf_isWrongUse() {
        assertThat(console.run("get", "small", "--live", "--as-of", "2026-01-01T18:00:00Z"))
                .isEqualTo(2);
        assertThat(console.err()).startsWith("thalweg: --live does not go with --as-of\n");
    }

    @Test
    void get_liveWithoutAJob_saysWhatItNeeds() {
        assertThat(console.run("get", "small", "-e", "cell=" + HEX, "-e", "product=pool", "--live"))
                .isEqualTo(2);
        assertThat(console.err()).contains("read_from: LIVE needs a running job");
    }

    @Test
    void get_nobodyListens_saysHowToStartAServer() {
        String unreachable = "http://127.0.0.1:" + FreePorts.next();
        assertThat(console.run("get", "small", "-e", "cell=" + HEX, "--server", unreachable))
                .isEqualTo(1);
        assertThat(console.err())
                .startsWith("thalweg: cannot reach " + unreachable + "\n  hint: start a server with thalweg demo");
    }

    @Test
    void get_serverThatIsNoUrl_isWrongUse() {
        assertThat(console.run("get", "small", "--server", "over there")).isEqualTo(2);
        assertThat(console.err()).startsWith("thalweg: --server must be a URL, was 'over there'\n");
    }

    @Test
    void get_coordinatesSwapped_saysSoBeforeAServerIsAsked() {
        String unused = "http://127.0.0.1:" + FreePorts.next();
        assertThat(console.run("get", "small", "--at", "139.6917,35.6895", "--server", unused))
                .isEqualTo(2);
        assertThat(console.err())
                .contains(
                        "'139.6917,35.6895': the latitude must be from -90 to 90, was 139.6917",
                        "hint: they look swapped; write --at 35.6895,139.6917")
                .doesNotContain("cannot reach");
    }

    @ParameterizedTest
    @ValueSource(strings = {"200,200", "NaN,0", "0,NaN", "0,181", "1", "1,2,3", ",", "north,west"})
    void get_coordinatesImpossible_isWrongUse(String at) {
        assertThat(console.run("get", "small", "--at", at)).isEqualTo(2);
        assertThat(console.err())
                .startsWith("thalweg: --at must be latitude,longitude in degrees, was '" + at + "'")
                .contains("hint: such as --at 40.7580,-73.9855")
                .doesNotContain("swapped");
    }
}
