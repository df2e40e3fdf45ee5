package io.thalweg.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
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
 * The blocks that the Python client's test decodes are those that this encoder makes. {@code -Dthalweg.golden=write} writes
 * the file anew.
 */
class PackedVectorsTest {
    private static final Path FILE = Path.of("..", "clients", "python", "tests", "vectors.json");
    private static final String VIEWS = """
            {"views":[
            {"name":"demand","resolution":9,"entities":{"cell":"h3","product":"uuid"},"rings":[0,1,2,3,4,5,10,15,20],"windows":["1m","2m","4m","8m","16m","32m"],"every":"1m"},
            {"name":"small_v2","resolution":9,"entities":{"product":"uuid","cell":"h3","city":"int64","label":"string","open":"bool"},"rings":[0,2],"windows":["1m","2m","5m"],"every":"1m"}
            ],"blocks":[
            """;

    @Test
    void vectors_ofThePythonClient_areWhatTheEncoderMakes() throws IOException {
        List<String> vectors = new ArrayList<>();
        for (long seed = 1; seed <= 8; seed++) {
            FeatureView view = seed % 2 == 0 ? Views.demand() : Views.small();
            vectors.add(vector(view, PackedRowsTest.random(view, new Random(seed))));
        }
        String text = VIEWS + String.join(",\n", vectors) + "\n]}\n";
        if ("write".equals(System.getProperty("thalweg.golden"))) {
            Files.writeString(FILE, text);
        }
        assertThat(Files.readString(FILE)).isEqualTo(text);
    }

    private static String vector(FeatureView view, RowBlock block) {
        long createdMs = block.windowEndMs() + 1_234;
        RowJson json = new RowJson(view);
        List<String> rows = new ArrayList<>();
        for (int row = 0; row < block.rows(); row++) {
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            json.write(block, row, createdMs, line);
            rows.add(line.toString(StandardCharsets.UTF_8).strip());
        }
        byte[] bytes = new PackedRows(view).encodeBlock(block, createdMs);
        return "{\"view\":\"%s\",\"block\":\"%s\",\"rows\":[\n%s]}"
                .formatted(view.qualifiedName(), HexFormat.of().formatHex(bytes), String.join(",\n", rows));
    }
}
