package io.thalweg.model.row;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.model.KeyedViews;
import io.thalweg.model.Views;
import io.thalweg.model.view.FeatureView;
import io.thalweg.testing.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * The blocks that the Python client's test decodes are those that this encoder produces. {@code -Dthalweg.golden=write} writes
 * the file.
 */
class PackedVectorsTest {
    private static final Path FILE = Checkout.file("clients/python/tests/vectors.json");
    private static final String VIEWS = """
            {"views":[
            {"name":"demand","resolution":9,"entities":{"cell":"h3","product":"uuid"},"rings":[0,1,2,3,4,5,10,15,20],"windows":["1m","2m","4m","8m","16m","32m"],"every":"1m"},
            {"name":"small_v2","resolution":9,"entities":{"product":"uuid","cell":"h3","city":"int64","label":"string","open":"bool"},"rings":[0,2],"windows":["1m","2m","5m"],"every":"1m"}
            ],"blocks":[
            """;

    private static final String KEYED_VIEWS = """

            ],"keyed_views":[
            {"name":"campaign_views","entities":{"campaign":"string"},"measures":[{"name":"views","count":"all"},{"name":"spend","sum":"cost"}],"windows":["10s"]},
            {"name":"merchant_orders_v2","entities":{"merchant":"int64","channel":"string","online":"bool","contract":"uuid"},"measures":MEASURES,"windows":["1m","5m","1h"]},
            {"name":"merchant_orders_v2","entities":{"a":"bool","b":"int64"},"measures":MEASURES,"windows":["1m","5m","1h"]},
            {"name":"merchant_orders_v2","entities":{"a":"uuid"},"measures":MEASURES,"windows":["1m","5m","1h"]}
            ],"keyed_blocks":[
            """.replace(
                    "MEASURES",
                    "[{\"count\":\"all\",\"per\":\"minute\"},{\"count_distinct\":\"payload.rider.id\",\"type\":\"uuid\"},"
                            + "{\"name\":\"readers\",\"count_distinct\":\"reader\",\"per\":\"minute\"},{\"sum\":\"amount\",\"type\":\"int64\"},"
                            + "{\"name\":\"turnover\",\"sum\":\"price\"},{\"name\":\"billed\",\"sum\":\"price\"},"
                            + "{\"name\":\"billed_rate\",\"sum\":\"price\",\"per\":\"minute\"},{\"min\":\"amount\",\"type\":\"int64\"},"
                            + "{\"max\":\"price\"},{\"mean\":\"price\"}]");

    private static List<String> keyedVectors() {
        List<FeatureView> views = List.of(
                KeyedViews.campaigns(),
                KeyedViews.everyMeasure(),
                KeyedViews.withEntities("[{name: a, field: a, type: bool}, {name: b, field: b, type: int64}]"),
                KeyedViews.withEntities("[{name: a, field: a, type: uuid}]"));
        List<String> vectors = new ArrayList<>();
        for (int seed = 0; seed < 8; seed++) {
            int number = seed % views.size();
            FeatureView view = views.get(number);
            Random random = new Random(seed);
            List<List<Object>> keys = List.of(KeyedViews.key(view, random), KeyedViews.key(view, random));
            Finality finality = seed < 4 ? Finality.FINAL : Finality.PARTIAL;
            vectors.add(vector(number, view, KeyedViews.rows(view, keys, finality, random)));
        }
        return vectors;
    }

    private static String vector(int number, FeatureView view, KeyedRowBlock block) {
        long createdMs = block.windowEndMs() + 1_234;
        KeyedRowJson json = new KeyedRowJson(view);
        List<String> rows = new ArrayList<>();
        for (int row = 0; row < block.rows(); row++) {
            rows.add(new String(json.value(block, row, createdMs), StandardCharsets.UTF_8));
        }
        byte[] bytes = new KeyedRowCodec(view).encodeBlock(block, createdMs);
        return "{\"view\":%d,\"block\":\"%s\",\"rows\":[\n%s]}"
                .formatted(number, HexFormat.of().formatHex(bytes), String.join(",\n", rows));
    }

    @Test
    void vectors_ofThePythonClient_areWhatTheEncoderMakes() throws IOException {
        List<String> vectors = new ArrayList<>();
        for (long seed = 1; seed <= 8; seed++) {
            FeatureView view = seed % 2 == 0 ? Views.demand() : Views.small();
            vectors.add(vector(view, PackedRowsTest.random(view, new Random(seed))));
        }
        String text = VIEWS + String.join(",\n", vectors) + KEYED_VIEWS + String.join(",\n", keyedVectors()) + "\n]}\n";
        if ("write".equals(System.getProperty("thalweg.golden"))) {
            Files.writeString(FILE, text);
        }
        assertThat(Files.readString(FILE)).isEqualTo(text);
    }

    private static String vector(FeatureView view, HexRowBlock block) {
        long createdMs = block.windowEndMs() + 1_234;
        HexRowJson json = new HexRowJson(view);
        List<String> rows = new ArrayList<>();
        for (int row = 0; row < block.rows(); row++) {
            rows.add(new String(json.value(block, row, createdMs), StandardCharsets.UTF_8));
        }
        byte[] bytes = new HexRowCodec(view).encodeBlock(block, createdMs);
        return "{\"view\":\"%s\",\"block\":\"%s\",\"rows\":[\n%s]}"
                .formatted(view.qualifiedName(), HexFormat.of().formatHex(bytes), String.join(",\n", rows));
    }
}
