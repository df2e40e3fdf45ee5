package io.thalweg.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code FeastIT} tests how Feast reads the files. */
final class ExportFeastCommandTest {
    private static final String TAPS = """
            apiVersion: thalweg/v1
            kind: FeatureView
            name: taps
            version: 2
            description: Taps "here"
            source: {topic: taps}
            entities:
              - {name: product, field: p}
              - {name: cell, h3: {lat: lat, lng: lng}}
            measure: {count: all}
            rings: [0]
            windows: {sizes: [1m, 2m], every: 1m}
            online: {ttl: 10m, layout: feast-scalars}
            """;

    @TempDir
    private Path folder = Path.of("");

    private final TestConsole console = new TestConsole();

    @BeforeEach
    void writeFiles() throws IOException {
        Files.writeString(folder.resolve("taps.yaml"), TAPS);
        store("redis://reader:s3cret@redis.example:6380/3");
    }

    private void store(String uri) throws IOException {
        Files.writeString(folder.resolve("thalweg.yaml"), """
                store: {type: redis, uri: "%s", project: market}
                views: [%s]
                """.formatted(uri, folder));
    }

    @Test
    void export_sentinels_areLeftToTheServer() throws IOException {
        store("redis-sentinel://s1,s2#market");
        assertThat(export()).isEqualTo(2);
        assertThat(console.err()).contains("was one of Redis Sentinel").contains("--server URL");
    }

    private int export(String... more) {
        String[] command = {
            "export",
            "feast",
            "--out",
            folder.resolve("repo").toString(),
            "--config",
            folder.resolve("thalweg.yaml").toString()
        };
        return console.run(Stream.of(command, more).flatMap(Arrays::stream).toArray(String[]::new));
    }

    private String made(String file) throws IOException {
        return Files.readString(folder.resolve("repo").resolve(file));
    }

    @Test
    void export_viewWithRings_definesItsEntitiesAndFeatures() throws IOException {
        assertThat(export()).as(console.err()).isZero();
        assertThat(made("feature_definitions.py")).endsWith("""

                cell_entity = Entity(name="cell", join_keys=["cell"], value_type=ValueType.INT64)
                product_entity = Entity(name="product", join_keys=["product"], value_type=ValueType.STRING)

                taps_v2_view = FeatureView(
                    name="taps_v2",
                    description="Taps \\x22here\\x22",
                    entities=[product_entity, cell_entity],
                    ttl=timedelta(milliseconds=600000),
                    schema=[
                        Field(name="cell", dtype=Int64),
                        Field(name="product", dtype=String),
                        Field(name="k0_1m", dtype=Float64),
                        Field(name="k0_2m", dtype=Float64),
                    ],
                    online=True,
                    # Thalweg writes the rows that are read online. This source stays empty: the view has no feature log (offline:).
                    source=FileSource(name="taps_v2_rows", path="taps_v2.parquet", timestamp_field="window_end"),
                )
                """);
    }

    @Test
    void export_viewWithALog_namesItsExportAsSource() throws IOException {
        Files.writeString(folder.resolve("taps.yaml"), TAPS + "offline: true\n");
        assertThat(export()).as(console.err()).isZero();
        assertThat(made("feature_definitions.py")).contains("""
                    # Thalweg writes the rows that are read online. For get_historical_features: thalweg log export taps_v2 --feast --out taps_v2.parquet
                    source=FileSource(name="taps_v2_rows", path="taps_v2.parquet", timestamp_field="readable_at"),
                """);
    }

    @Test
    void export_arrayLayout_definesOneFeatureAndItsOrder() throws IOException {
        Files.writeString(folder.resolve("taps.yaml"), TAPS.replace("feast-scalars", "feast-array"));
        assertThat(export()).as(console.err()).isZero();
        assertThat(made("feature_definitions.py")).contains("""
                        # in this order: k0_1m, k0_2m
                        Field(name="features", dtype=Array(Float32)),
                    ],
                """);
    }

    @Test
    void export_storeWithAPassword_leavesItToTheEnvironment() throws IOException {
        assertThat(export()).isZero();
        assertThat(made("feature_store.yaml"))
                .contains("project: market\n")
                .contains("  redis_type: redis\n")
                .contains("\"redis.example:6380,db=3,username=reader,password=${REDIS_PASSWORD}\"")
                .contains("entity_key_serialization_version: 3")
                .doesNotContain("s3cret");
        store("rediss://redis.example");
        assertThat(export("--cluster")).isZero();
        assertThat(made("feature_store.yaml"))
                .contains("  redis_type: redis_cluster\n")
                .contains("\"redis.example:6379,ssl=true\"");
    }

    @Test
    void export_packedView_isRefusedWithTheRemedy() throws IOException {
        Files.writeString(folder.resolve("taps.yaml"), TAPS.replace("feast-scalars", "packed"));
        assertThat(export()).isEqualTo(2);
        assertThat(console.err()).contains("no view has one of Feast's layouts").contains("layout: feast-scalars");
        assertThat(export(folder.resolve("taps.yaml").toString())).isEqualTo(2);
        assertThat(console.err())
                .contains(
                        "view taps_v2: online.layout must be feast-scalars or feast-array for Feast to read it, was packed");
        assertThat(folder.resolve("repo").resolve("feature_store.yaml")).doesNotExist();
    }

    @Test
    void export_otherStore_isRefusedWithTheRemedy() throws IOException {
        Files.writeString(folder.resolve("thalweg.yaml"), "views: [" + folder + "]\n");
        assertThat(export()).isEqualTo(2);
        assertThat(console.err()).contains("store.type must be redis for Feast to read it, was rocksdb");
    }

    @Test
    void export_throughTheServer_takesAnyStoreAndLayout() throws IOException {
        Files.writeString(folder.resolve("taps.yaml"), TAPS.replace("feast-scalars", "packed"));
        Files.writeString(folder.resolve("thalweg.yaml"), "views: [" + folder + "]\n");
        assertThat(export("--server", "http://features.example:8080"))
                .as(console.err())
                .isZero();
        assertThat(made("feature_store.yaml")).contains("""
                project: thalweg
                provider: local
                registry: registry.db
                online_store:
                  type: remote
                  path: http://features.example:8080
                entity_key_serialization_version: 3
                """);
        assertThat(made("feature_definitions.py")).contains("Field(name=\"k0_2m\", dtype=Float64)");
    }

    @Test
    void export_entityOfTwoTypes_isRefusedByName() throws IOException {
        Files.writeString(
                folder.resolve("more.yaml"),
                TAPS.replace("name: taps", "name: more")
                        .replace("{name: product, field: p}", "{name: product, field: p, type: int64}"));
        assertThat(export()).isEqualTo(2);
        assertThat(console.err()).contains("entity product of view taps_v2 is STRING, in another view INT64");
    }

    /** Key 16 + 4 + 8 and 16 + 7 + 36, time and order 52, features 2 × 13. */
    @Test
    void explain_feastLayout_saysWhatARowTakes() {
        assertThat(console.run("explain", folder.resolve("taps.yaml").toString()))
                .as(console.err())
                .isZero();
        assertThat(console.out())
                .contains("ttl 10m, layout feast-scalars")
                .containsPattern("store +[^ ]+ .B/s +165 B per row");
    }

    @Test
    void run_feastLayoutIntoAnEmbeddedStore_isRefusedBeforeAnythingStarts() throws IOException {
        Path events = Files.writeString(folder.resolve("events.jsonl"), "");
        Files.writeString(
                folder.resolve("thalweg.yaml"), "store: {type: rocksdb, path: " + folder.resolve("store") + "}\n");
        int exit = console.run(
                "run",
                folder.resolve("taps.yaml").toString(),
                "--input",
                events.toString(),
                "--store",
                "--config",
                folder.resolve("thalweg.yaml").toString());
        assertThat(exit).isEqualTo(2);
        assertThat(console.err())
                .contains("view taps_v2: online.layout must be packed with store.type: rocksdb, was feast-scalars;"
                        + " use store.type: redis, or layout: packed");
    }
}
