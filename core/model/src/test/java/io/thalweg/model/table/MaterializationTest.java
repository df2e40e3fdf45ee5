package io.thalweg.model.table;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.model.Definitions;
import io.thalweg.model.KeyedViews;
import io.thalweg.model.Views;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyColumns;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.KeyedRowCodec;
import io.thalweg.model.row.KeyedRowJson;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.row.ValueColumns;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Online;
import io.thalweg.model.yaml.DurationText;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MaterializationTest {
    private static Materialization parse(String rest) {
        return Definitions.parse("""
                        apiVersion: thalweg/v1
                        kind: Materialization
                        name: driver_stats
                        """ + rest, "/defs/driver_stats.yaml")
                .materializations()
                .get(0);
    }

    @Test
    void load_everything_isAsWritten() {
        Materialization read = parse("""
                version: 2
                source: {parquet: ../lake/driver_stats, partitions: [dt, city]}
                entities: [{name: driver, field: driver_id, type: int64}]
                features: [trips, {name: rating, field: stats.avg_rating}, {name: vip, type: bool}, {name: n, type: int64}]
                event_time: {field: ts, unit: s}
                online: {ttl: 1d, layout: packed}
                """);

        assertThat(read.table())
                .isEqualTo(new Table(
                        Table.Format.PARQUET,
                        "../lake/driver_stats",
                        "/lake/driver_stats",
                        List.of("dt", "city"),
                        null,
                        new Source.EventTime(FieldPath.parse("ts"), Source.TimeUnit.S)));
        FeatureView view = read.view();
        assertThat(view.qualifiedName()).isEqualTo("driver_stats_v2");
        assertThat(view.isKeyed()).isTrue();
        assertThat(view.isTable()).isTrue();
        assertThat(view.featureNames()).containsExactly("trips", "rating", "vip", "n");
        assertThat(view.featureTypes()).containsExactly("double", "double", "int64", "int64");
        assertThat(view.online()).isEqualTo(new Online(DurationText.parse("1d"), null));
        assertThat(KeyedViews.campaigns().isTable()).isFalse();
    }

    @Test
    void load_text_takesItsNamesAsTheyAre() {
        Materialization read = parse("""
                source: {csv: stats.csv}
                entities: [{name: driver, field: id}]
                features: {text: kv, names: [trips, {name: rating, field: avg.rating}]}
                """);

        assertThat(read.table().text()).isEqualTo(new Table.Text(FieldPath.parse("kv"), ",", "="));
        assertThat(read.table().eventTime()).isNull();
        assertThat(read.view().columns())
                .extracting(column -> column.field().segments())
                .containsExactly(List.of("trips"), List.of("avg.rating"));
        assertThat(read.view().online().ttl()).isEqualTo(DurationText.parse("7d"));
    }

    @Test
    void served_materializations_areViewsLikeOthers() {
        Definitions.Loaded loaded = Definitions.load(
                List.of(Views.EXAMPLES.resolve("demand.yaml"), Views.EXAMPLES.resolve("driver_stats.yaml")));

        assertThat(loaded.views()).extracting(FeatureView::name).containsExactly("demand");
        assertThat(loaded.served()).extracting(FeatureView::name).containsExactly("demand", "driver_stats");
        assertThat(Path.of(loaded.materializations().get(0).table().path())).isAbsolute();
    }

    /** Written rows can be read: each row at its own time, absent values as null. */
    @Test
    void rows_ofATable_goThroughTheCodecs() {
        FeatureView view = parse("""
                source: {csv: stats.csv}
                entities: [{name: driver, field: id, type: int64}]
                features: [{name: trips, type: int64}, rating, {name: vip, type: bool}]
                """).view();
        KeyedRowBlock block = new KeyedRowBlock(
                BlockHead.ofFinal("driver_stats", 0, 1_767_290_400_123L),
                KeyColumns.ofWords(new long[] {0}, new long[] {17}),
                ValueColumns.ofNumbers(
                        new long[] {-1, 0, 0}, new long[] {-5, 0, 1}, new boolean[] {false, true, false}));

        StoredRow row = new KeyedRowCodec(view).decodeRow(new KeyedRowCodec(view).encodeRow(block, 0));

        assertThat(new KeyCodec(view).form()).isEqualTo(KeyForm.LONG);
        assertThat(row.windowEndMs()).isEqualTo(1_767_290_400_123L);
        assertThat(row.values()).isEqualTo(Arrays.asList(-5L, null, 1L));
        assertThat(new String(new KeyedRowJson(view).value(block, 0), UTF_8))
                .isEqualTo("{\"view\":\"driver_stats\",\"driver\":17,\"window_end\":\"2026-01-01T18:00:00.123Z\","
                        + "\"finality\":\"FINAL\",\"features\":{\"trips\":-5,\"rating\":null,\"vip\":1}}");
    }

    private static final String PROFILES = """
            source: {parquet: profiles}
            entities: [{name: rider, field: id, type: int64}]
            features:
              - {name: home, type: string}
              - {name: embedding, type: double_list}
              - {name: trips, type: int64}
            """;

    /** Creates a row of a text, a list and a number; null = absent. */
    private static KeyedRowBlock profile(@Nullable String home, double @Nullable [] embedding) {
        byte[] list = embedding == null ? null : new byte[embedding.length * Double.BYTES];
        if (list != null && embedding != null) {
            ByteBuffer.wrap(list).asDoubleBuffer().put(embedding);
        }
        return new KeyedRowBlock(
                BlockHead.ofFinal("driver_stats", 3, 1_767_290_400_123L),
                KeyColumns.ofWords(new long[] {0}, new long[] {17}),
                new ValueColumns(
                        new long[3],
                        new long[] {0, 0, 5},
                        new boolean[] {home == null, embedding == null, false},
                        new byte[][] {home == null ? null : home.getBytes(UTF_8), list, null}));
    }

    @Test
    void rows_ofTextAndLists_goThroughTheCodecs() {
        FeatureView view = parse(PROFILES).view();
        KeyedRowCodec packed = new KeyedRowCodec(view);
        KeyedRowJson json = new KeyedRowJson(view);
        KeyedRowBlock full = profile("Zürich \"5\"", new double[] {0.5, -1e300, 0});
        KeyedRowBlock empty = profile("", new double[0]);
        KeyedRowBlock none = profile(null, null);

        assertThat(view.featureTypes()).containsExactly("string", "double_list", "int64");
        for (KeyedRowBlock block : List.of(full, empty, none)) {
            byte[] bytes = packed.encodeBlock(block, 7);
            KeyedRowBlock read = packed.decodeBlock(bytes);
            assertThat(packed.encodeBlock(read, 7)).isEqualTo(bytes);
            assertThat(packed.values(read, 0)).isEqualTo(packed.values(block, 0));
            assertThat(packed.decodeRow(packed.encodeRow(block.rows(0, 1), 0)).values())
                    .isEqualTo(packed.values(block, 0));
        }
        assertThat(packed.values(full, 0)).isEqualTo(Arrays.asList("Zürich \"5\"", List.of(0.5, -1e300, 0.0), 5L));
        assertThat(packed.values(empty, 0)).isEqualTo(Arrays.asList("", List.of(), 5L));
        assertThat(packed.values(none, 0)).isEqualTo(Arrays.asList(null, null, 5L));
        assertThat(new String(json.value(full, 0), UTF_8))
                .endsWith("\"features\":{\"home\":\"Zürich \\\"5\\\"\",\"embedding\":[0.5,-1.0E300,0.0],\"trips\":5}}");
        assertThat(new String(json.value(none, 0), UTF_8))
                .endsWith("\"features\":{\"home\":null,\"embedding\":null,\"trips\":5}}");
    }

    /** The bytes of the reference page. */
    @Test
    void packed_textAndLists_areAsDocumented() {
        KeyedRowCodec packed = new KeyedRowCodec(parse(PROFILES).view());
        byte[] row = packed.encodeRow(profile("Ω", new double[] {0.5}), 0);
        assertThat(HexFormat.of().formatHex(row)).endsWith("00" + "02" + "cea9" + "01" + "3fe0000000000000" + "0a");
    }

    @Test
    void load_textUnderFeastArray_isRefused() {
        assertThatThrownBy(() -> parse(PROFILES + "online: {layout: feast-array}"))
                .hasMessageContaining("online")
                .hasMessageContaining("feature home is none; use feast-scalars");
        assertThat(parse(PROFILES + "online: {layout: feast-scalars}").view().columns())
                .hasSize(3);
    }
}
