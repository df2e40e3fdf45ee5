package io.thalweg.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.model.Definitions;
import io.thalweg.model.row.RowJson;
import io.thalweg.model.view.FeatureView;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RowTableTest {
    private static final FeatureView ORDERS = view("""
            entities: [{name: user, field: u}, {name: shop, field: s, type: int64}, {name: gift, field: g, type: bool}]
            measures: [{name: n, count: all}, {name: paid, sum: a, type: int64}, {name: mean, mean: a}]
            windows: {sizes: [5m], every: 1m}
            """);
    private static final FeatureView DEMAND = view("""
            entities: [{name: product, field: p, type: uuid}, {name: cell, h3: {lat: lat, lng: lng}}]
            measure: {count: all}
            rings: [0, 1]
            windows: {sizes: [1m], every: 1m}
            """);
    private static final Instant END = Instant.parse("2026-01-01T18:05:00Z");

    @TempDir
    Path folder;

    private static FeatureView view(String part) {
        return Definitions.parse(
                        "apiVersion: thalweg/v1\nkind: FeatureView\nname: v\nsource: {topic: t}\n" + part, "v.yaml")
                .views()
                .get(0);
    }

    private static void add(RowTable table, FeatureView view, String entities, String features) throws IOException {
        String line = "{\"view\":\"v\",%s,\"window_end\":\"%s\",\"finality\":\"FINAL\",\"features\":{%s}}"
                .formatted(entities, END, features);
        table.add(RowJson.of(view).decodeBlock(line.getBytes(StandardCharsets.UTF_8)));
    }

    private static void addOrders(RowTable table) throws IOException {
        add(
                table,
                ORDERS,
                "\"user\":\"a,\\\"b\\\"\",\"shop\":9007199254740993,\"gift\":true",
                "\"n_5m\":2,\"paid_5m\":-7,\"mean_5m\":0.1");
        add(table, ORDERS, "\"user\":\"\",\"shop\":2,\"gift\":false", "\"n_5m\":0,\"paid_5m\":0,\"mean_5m\":null");
    }

    @Test
    void csv_keyedRows_areOneLineEach() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        RowTable table = RowTable.open(RowTable.Form.CSV, ORDERS, out);
        addOrders(table);
        table.finish();

        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("""
                user,shop,gift,window_end,finality,n_5m,paid_5m,mean_5m
                "a,""b""\",9007199254740993,true,2026-01-01T18:05:00Z,FINAL,2,-7,0.1
                "",2,false,2026-01-01T18:05:00Z,FINAL,0,0,
                """);
    }

    @Test
    void parquet_keyedRows_haveTypedColumns() throws IOException {
        Path file = folder.resolve("rows.parquet");
        try (var out = Files.newOutputStream(file)) {
            RowTable table = RowTable.open(RowTable.Form.PARQUET, ORDERS, out);
            addOrders(table);
            table.finish();
        }

        long endMicros = END.toEpochMilli() * 1_000;
        assertThat(TableValues.read(file, FlatRows.columns(ORDERS)))
                .containsExactly(
                        List.of(
                                TableValues.text("a,\"b\""),
                                9007199254740993L,
                                true,
                                endMicros,
                                TableValues.text("FINAL"),
                                2L,
                                -7L,
                                0.1),
                        Arrays.asList(
                                TableValues.text(""), 2L, false, endMicros, TableValues.text("FINAL"), 0L, 0L, null));
    }

    @Test
    void parquet_manyRows_areAllThere() throws IOException {
        Path file = folder.resolve("rows.parquet");
        try (var out = Files.newOutputStream(file)) {
            RowTable table = RowTable.open(RowTable.Form.PARQUET, ORDERS, out);
            for (int i = 0; i < 5_000; i++) {
                addOrders(table);
            }
            table.finish();
        }

        assertThat(TableValues.read(file, FlatRows.columns(ORDERS))).hasSize(10_000);
    }

    @Test
    void csv_rowsWithRings_haveCellsAsText() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        RowTable table = RowTable.open(RowTable.Form.CSV, DEMAND, out);
        String entities = "\"product\":\"17a2b60c-29dd-5f76-95f3-b65da5cbbdbe\",\"cell\":\"892a1008003ffff\"";
        add(table, DEMAND, entities, "\"k0_1m\":7.0,\"k1_1m\":" + 10 / 7.0);
        table.finish();

        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("""
                product,cell,window_end,finality,k0_1m,k1_1m
                17a2b60c-29dd-5f76-95f3-b65da5cbbdbe,892a1008003ffff,2026-01-01T18:05:00Z,FINAL,7.0,1.4285714285714286
                """);
    }

    @Test
    void add_numberOfMoreThan64Bits_namesTheFeatureAndTheRemedy() throws IOException {
        RowTable table = RowTable.open(RowTable.Form.CSV, ORDERS, new ByteArrayOutputStream());

        assertThatThrownBy(() -> add(
                        table,
                        ORDERS,
                        "\"user\":\"u\",\"shop\":1,\"gift\":true",
                        "\"n_5m\":1,\"paid_5m\":\"9223372036854775808\",\"mean_5m\":1.0"))
                .isInstanceOf(IOException.class)
                .hasMessage("the value of feature paid_5m of view v has more than 64 bits: 9223372036854775808;"
                        + " give its measure type: double, or write .jsonl, or offline.format: packed");
    }
}
