package io.thalweg.formats;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.model.Definitions;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.RingDivisors;
import io.thalweg.model.row.RowOrder;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.message.BinaryMessageDecoder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AvroRowsTest {
    /** Entities of every type around the cell. */
    private static final FeatureView VIEW = view("small", "[0, 2]", "[1m, 5m]");

    private static final HexFormat HEX = HexFormat.of();
    private static final String PRODUCT = "17a2b60c-29dd-5f76-95f3-b65da5cbbdbe";

    private static FeatureView view(String name, String rings, String sizes) {
        return Definitions.parse("""
                        apiVersion: thalweg/v1
                        kind: FeatureView
                        name: %s
                        version: 2
                        description: Events around a cell
                        source: {topic: events}
                        entities:
                          - {name: product, field: product_id, type: uuid}
                          - {name: cell, h3: {cell: c, resolution: 9}}
                          - {name: city, field: city_id, type: int64}
                          - {name: label, field: label}
                          - {name: open, field: open, type: bool}
                        measure: {count: all}
                        rings: %s
                        windows: {sizes: %s, every: 1m}
                        """.formatted(name, rings, sizes), "small.yaml")
                .views()
                .get(0);
    }

    private static HexRowBlock block(List<Object> group, Finality finality, long[] sums, int @Nullable [] sizes) {
        long[] cells = new long[sums.length / VIEW.featureNames().size()];
        Arrays.setAll(cells, i -> 0x892a1008003ffffL + ((long) i << 18));
        return new HexRowBlock(
                new BlockHead(VIEW.qualifiedName(), 3, new RowOrder(1_451_671_260_000L, finality, 0)),
                0x852a1003fffffffL,
                group,
                cells,
                sums,
                sizes);
    }

    private static GenericRecord decode(byte[] value) throws IOException {
        return new BinaryMessageDecoder<GenericRecord>(GenericData.get(), AvroRows.schema(VIEW)).decode(value);
    }

    @Test
    void schema_ofAView_isPinned() {
        assertThat(new Schema.Parser().parse(AvroRows.schemaJson(VIEW))).isEqualTo(new Schema.Parser().parse("""
                        {"type": "record", "name": "small_v2", "namespace": "thalweg", "doc": "Events around a cell",
                         "fields": [
                          {"name": "product", "type": {"type": "string", "logicalType": "uuid"}},
                          {"name": "cell", "type": "string"},
                          {"name": "city", "type": "long"},
                          {"name": "label", "type": "string"},
                          {"name": "open", "type": "boolean"},
                          {"name": "window_end", "type": {"type": "long", "logicalType": "timestamp-millis"}},
                          {"name": "finality", "type": {"type": "enum", "name": "finality",
                           "namespace": "thalweg.small_v2", "doc": "A FINAL row does not change",
                           "symbols": ["PARTIAL", "FINAL"]}},
                          {"name": "created", "type": {"type": "long", "logicalType": "timestamp-millis"}},
                          {"name": "features", "type": {"type": "record", "name": "features",
                           "namespace": "thalweg.small_v2", "fields": [
                            {"name": "k0_1m", "type": "double"}, {"name": "k0_5m", "type": "double"},
                            {"name": "k2_1m", "type": "double"}, {"name": "k2_5m", "type": "double"}]}}]}
                        """));
    }

    @Test
    void schema_viewNamedAsAPartOfIt_doesNotClash() {
        for (String name : List.of("finality", "features")) {
            FeatureView view = view(name, "[0]", "[1m]");
            assertThat(new Schema.Parser().parse(AvroRows.schemaJson(view)).getFullName())
                    .isEqualTo("thalweg." + name + "_v2");
        }
    }

    @Test
    void value_row_isTheseBytes() {
        HexRowBlock block = block(List.of(PRODUCT, -1L, "é", true), Finality.FINAL, new long[] {1, 3, 2, 9}, null);
        long fingerprint = SchemaNormalization.parsingFingerprint64(AvroRows.schema(VIEW));
        assertThat(HEX.formatHex(new AvroRows(VIEW).value(block, 0, 1_451_671_260_500L)))
                .isEqualTo(String.join(
                        "",
                        "c301" + littleEndian(fingerprint),
                        "48" + HEX.formatHex(PRODUCT.getBytes(StandardCharsets.US_ASCII)),
                        "1e383932613130303830303366666666", // 15 bytes: 892a1008003ffff
                        "01", // -1
                        "04c3a9", // é
                        "01", // true
                        "c0adcce5bf54",
                        "02", // FINAL
                        "a8b5cce5bf54",
                        littleEndian(Double.doubleToLongBits(1.0)),
                        littleEndian(Double.doubleToLongBits(0.6)),
                        littleEndian(Double.doubleToLongBits(2 / 19.0)),
                        littleEndian(Double.doubleToLongBits(9 / 95.0))));
    }

    private static String littleEndian(long bits) {
        return HEX.toHexDigits(Long.reverseBytes(bits));
    }

    /** Compares with Avro's own reader: every value is present, and features are restored bit for bit. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void value_anyRow_isReadBackByAvro(long seed) throws IOException {
        Random random = new Random(seed);
        HexRowBlock block = random(random);
        AvroRows rows = new AvroRows(VIEW);
        int rings = VIEW.rings().size();
        int features = VIEW.featureNames().size();
        for (int row = 0; row < block.rows(); row++) {
            long createdMs = random.nextLong();
            byte[] value = rows.value(block, row, createdMs);
            GenericRecord record = decode(value);

            assertThat(text(record, "product")).isEqualTo(block.group().get(0));
            assertThat(text(record, "cell")).isEqualTo(Long.toHexString(block.cells()[row]));
            assertThat(record.get("city")).isEqualTo(block.group().get(1));
            assertThat(text(record, "label")).isEqualTo(block.group().get(2));
            assertThat(record.get("open")).isEqualTo(block.group().get(3));
            assertThat(record.get("window_end")).isEqualTo(block.windowEndMs());
            assertThat(text(record, "finality")).isEqualTo(block.finality().name());
            assertThat(record.get("created")).isEqualTo(createdMs);
            GenericRecord read = (GenericRecord) Objects.requireNonNull(record.get("features"));
            int[] sizes = block.diskSizes();
            double[] expected = new RingDivisors(VIEW)
                    .values(
                            Arrays.copyOfRange(block.sums(), row * features, (row + 1) * features),
                            sizes == null ? null : Arrays.copyOfRange(sizes, row * rings, (row + 1) * rings));
            for (int f = 0; f < features; f++) {
                assertThat(read.get(VIEW.featureNames().get(f))).isEqualTo(expected[f]);
            }
            assertThat(trailing(value)).as("bytes behind the record").isZero();
        }
    }

    private static int trailing(byte[] value) throws IOException {
        BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(value, 10, value.length - 10, null);
        new GenericDatumReader<GenericRecord>(AvroRows.schema(VIEW)).read(null, decoder);
        return decoder.inputStream().readAllBytes().length;
    }

    private static String text(GenericRecord record, String field) {
        return Objects.requireNonNull(record.get(field)).toString();
    }

    private static HexRowBlock random(Random random) {
        int rows = 1 + random.nextInt(5);
        long[] sums = random.longs((long) rows * VIEW.featureNames().size(), 0, Long.MAX_VALUE)
                .map(sum -> sum >>> random.nextInt(63))
                .toArray();
        int[] sizes = random.nextBoolean()
                ? null
                : random.ints((long) rows * VIEW.rings().size(), 1, 20).toArray();
        List<Object> group = List.of(
                new UUID(random.nextLong(), random.nextLong()).toString(),
                random.nextLong() >> random.nextInt(64),
                random.ints(random.nextInt(20), 0, 0xD800)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString(),
                random.nextBoolean());
        return block(group, random.nextBoolean() ? Finality.FINAL : Finality.PARTIAL, sums, sizes);
    }
}
