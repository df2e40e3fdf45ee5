package io.thalweg.model.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.model.Views;
import io.thalweg.model.view.FeatureView;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RowJsonTest {
    private static final FeatureView SMALL = Views.small();
    private static final String PRODUCT = "17a2b60c-29dd-5f76-95f3-b65da5cbbdbe";

    static LongStream seeds() {
        return new Random().longs(200);
    }

    @Test
    void write_row_hasTheFieldsInOrder() {
        assertThat(text(value(block(List.of(PRODUCT, 7L, "a\"\\\n\u00e9\ud83d\ude00", true)), -1)))
                .isEqualTo("{\"view\":\"small_v2\",\"product\":\"" + PRODUCT
                        + "\",\"cell\":\"892a1008003ffff\",\"city\":7,\"label\":\"a\\\"\\\\\\u000a\u00e9\ud83d\ude00\","
                        + "\"open\":true,\"window_end\":\"2016-01-01T18:01:00Z\",\"finality\":\"FINAL\",\"features\":{"
                        + "\"k0_1m\":0.0,\"k0_2m\":0.5,\"k0_5m\":0.4,\"k2_1m\":0.05263157894736842,"
                        + "\"k2_2m\":0.07894736842105263,\"k2_5m\":1.0526315789473684E8}}");
    }

    @Test
    void write_created_standsBeforeTheFeatures() {
        assertThat(text(value(block(List.of(PRODUCT, 7L, "", true)), 1_451_671_260_500L)))
                .contains("\"finality\":\"FINAL\",\"created\":\"2016-01-01T18:01:00.500Z\",\"features\":{");
    }

    @Test
    void write_int64Above53Bits_isText() {
        assertThat(text(value(block(List.of(PRODUCT, 1L << 53, "", true)), -1))).contains("\"city\":9007199254740992,");
        assertThat(text(value(block(List.of(PRODUCT, (1L << 53) + 1, "", true)), -1)))
                .contains("\"city\":\"9007199254740993\",");
        assertThat(text(value(block(List.of(PRODUCT, Long.MIN_VALUE, "", true)), -1)))
                .contains("\"city\":\"-9223372036854775808\",");
    }

    @Test
    void key_row_isTheViewAndItsEntities() {
        byte[] key = new HexRowJson(SMALL).key(block(List.of(PRODUCT, 7L, "x", false)), 0);
        assertThat(text(key)).isEqualTo("[\"small_v2\",\"" + PRODUCT + "\",\"892a1008003ffff\",7,\"x\",false]");
    }

    @Test
    void progress_record_isReadBackAndNoRow() {
        Progress progress = new Progress("demand", 17, 256, 1_451_671_260_000L);
        byte[] value = ProgressJson.value(progress);
        assertThat(text(ProgressJson.key(progress))).isEqualTo("[\"demand\",{\"shard\":17}]");
        assertThat(text(value))
                .isEqualTo("{\"view\":\"demand\",\"progress\":{\"shard\":17,\"shards\":256,"
                        + "\"window_end\":\"2016-01-01T18:01:00Z\"}}");
        assertThat(ProgressJson.parse(value)).isEqualTo(progress);
    }

    @Test
    void parseProgress_rows_areNone() {
        HexRowBlock block = block(List.of(PRODUCT, 7L, "x", false));
        assertThat(ProgressJson.parse(value(block, 5))).isNull();
        assertThat(ProgressJson.parse(new HexRowCodec(SMALL).encodeBlock(block, 5)))
                .isNull();
        assertThat(ProgressJson.parse(new byte[] {(byte) 0xC3, 1, 0}))
                .as("Avro")
                .isNull();
        assertThatThrownBy(() -> ProgressJson.parse("{}".getBytes(StandardCharsets.UTF_8)))
                .hasMessage("row.finality must be text, was missing");
    }

    /** Holds for any true disk sizes, which JSON does not contain. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void decodeBlock_anyRow_hasItsValuesBitForBit(long seed) {
        Random random = new Random(seed);
        HexRowBlock any = PackedRowsTest.random(SMALL, random);
        long[] counts =
                java.util.Arrays.stream(any.sums()).map(sum -> sum >>> 13).toArray();
        HexRowBlock block = new HexRowBlock(
                new BlockHead(any.view(), any.shard(), new RowOrder(any.windowEndMs(), any.finality(), 0)),
                any.tile(),
                any.group(),
                any.cells(),
                counts,
                any.diskSizes());
        HexRowJson json = new HexRowJson(SMALL);
        for (int row = 0; row < block.rows(); row++) {
            HexRowBlock one = block.rows(row, row + 1);

            HexRowBlock read = json.decodeBlock(json.value(block, row, 5));

            assertThat(read.cells()).containsExactly(block.cells()[row]);
            assertThat(read.group()).isEqualTo(block.group());
            assertThat(read.windowEndMs()).isEqualTo(block.windowEndMs());
            assertThat(read.finality()).isEqualTo(block.finality());
            assertThat(new RingDivisors(SMALL).values(read.sums(), read.diskSizes()))
                    .isEqualTo(new RingDivisors(SMALL).values(one.sums(), one.diskSizes()));
            if (block.diskSizes() == null) {
                assertThat(read.sums()).isEqualTo(one.sums());
                assertThat(read.diskSizes()).isNull();
            }
        }
    }

    @Test
    void decodeBlock_otherViewsAndShapes_saySo() {
        String row = text(value(block(List.of(PRODUCT, 7L, "", true)), -1));
        assertForeign(ForeignRowException.Difference.VIEW, row.replace("small_v2", "small"));
        assertForeign(ForeignRowException.Difference.LAYOUT, row.replace("k0_1m", "k0_3m"));
        assertForeign(ForeignRowException.Difference.LAYOUT, row.replace("\"k0_1m\":0.0,", ""));
        assertUnreadable(row.replace("0.4", "0.41"), "ring 0 must be counts divided by at most 1 cells");
        assertUnreadable(row.replace("892a1008003ffff", "882a100801fffff"), "H3 cell of resolution 9");
        assertUnreadable(row.replace(PRODUCT, "17a2"), "product");
    }

    private static void assertForeign(ForeignRowException.Difference difference, String row) {
        assertThatThrownBy(() -> new HexRowJson(SMALL).decodeBlock(row.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOfSatisfying(
                        ForeignRowException.class,
                        e -> assertThat(e.difference()).isEqualTo(difference));
    }

    private static void assertUnreadable(String row, String why) {
        assertThatThrownBy(() -> new HexRowJson(SMALL).decodeBlock(row.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IllegalArgumentException.class)
                .isNotInstanceOf(ForeignRowException.class)
                .hasMessageContaining(why);
    }

    /** Compares with Jackson's tree as the naive reader: every value is present, and features are restored bit for bit. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void parse_anyRow_givesItBack(long seed) throws IOException {
        Random random = new Random(seed);
        HexRowBlock block = PackedRowsTest.random(SMALL, random);
        HexRowJson json = new HexRowJson(SMALL);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int row = 0; row < block.rows(); row++) {
            out.reset();
            json.write(block, row, out);
            ParsedRow parsed = json.parse(out.toByteArray());

            assertThat(parsed.windowEndMs()).isEqualTo(block.windowEndMs());
            assertThat(parsed.finality()).isEqualTo(block.finality());
            List<Object> group = new ArrayList<>(parsed.entities().values());
            assertThat(group.remove(1)).isEqualTo(block.cells()[row]);
            assertThat(group).isEqualTo(block.group());
            assertThat(new ArrayList<>(parsed.features().keySet())).isEqualTo(SMALL.featureNames());
            int[] sizes = block.diskSizes();
            double[] values = new RingDivisors(SMALL)
                    .values(
                            java.util.Arrays.copyOfRange(block.sums(), row * 6, row * 6 + 6),
                            sizes == null ? null : java.util.Arrays.copyOfRange(sizes, row * 2, row * 2 + 2));
            assertThat(parsed.features().values().stream()
                            .mapToDouble(value -> (Double) value)
                            .toArray())
                    .isEqualTo(values);
            JsonNode tree = new ObjectMapper().readTree(out.toByteArray());
            assertThat(tree.path("label").textValue()).isEqualTo(block.group().get(2));
        }
    }

    @Test
    void parse_wrongRows_namesTheField() {
        HexRowJson json = new HexRowJson(SMALL);
        String row = text(value(block(List.of(PRODUCT, 7L, "x", false)), -1));
        for (Map.Entry<String, String> change : Map.of(
                        "\"city\":7", "\"city\":true",
                        "892a1008003ffff", "hello",
                        "2016-01-01T18:01:00Z", "yesterday",
                        "FINAL", "MAYBE",
                        "small_v2", "small",
                        ":0.5", ":null")
                .entrySet()) {
            byte[] bytes = row.replace(change.getKey(), change.getValue()).getBytes(StandardCharsets.UTF_8);
            assertThatThrownBy(() -> json.parse(bytes))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageMatching("row\\.\\w+ must be .*, was .*");
        }
        assertThatThrownBy(() -> json.parse("[1".getBytes(StandardCharsets.UTF_8)))
                .hasMessageStartingWith("a row must be a JSON object");
    }

    private static byte[] value(HexRowBlock block, long createdMs) {
        HexRowJson json = new HexRowJson(SMALL);
        return createdMs < 0 ? json.value(block, 0) : json.value(block, 0, createdMs);
    }

    private static HexRowBlock block(List<Object> group) {
        return new HexRowBlock(
                BlockHead.ofFinal("small_v2", 3, 1_451_671_260_000L),
                0x852a1003fffffffL,
                group,
                new long[] {0x892a1008003ffffL},
                new long[] {0, 1, 2, 1, 3, 10_000_000_000L},
                null);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
