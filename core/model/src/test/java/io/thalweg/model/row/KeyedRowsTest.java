package io.thalweg.model.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.kernel.aggregate.IntegerSum;
import io.thalweg.model.KeyedViews;
import io.thalweg.model.view.FeatureForm;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.KeyedPlan;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Keyed rows as JSON and packed: reading returns what was written. */
class KeyedRowsTest {
    private static final List<String> ENTITIES = List.of(
            "[{name: a, field: a}]",
            "[{name: a, field: a, type: int64}]",
            "[{name: a, field: a, type: uuid}]",
            "[{name: a, field: a, type: bool}, {name: b, field: b, type: int64}]",
            "[{name: a, field: a, type: uuid}, {name: b, field: b, type: bool}, {name: c, field: c}]");

    private static KeyedRowBlock campaign(Finality finality, long sequence) {
        return new KeyedRowBlock(
                new BlockHead("campaign_views", 17, new RowOrder(1_451_671_260_000L, finality, sequence)),
                KeyColumns.ofBytes(new KeyCodec(KeyedViews.campaigns()).bytes(List.of("c1"))),
                ValueColumns.ofNumbers(
                        new long[] {0, 0}, new long[] {3, Double.doubleToRawLongBits(0.3)}, new boolean[2]));
    }

    @Test
    void json_row_hasTheFieldsInOrder() {
        KeyedRowJson json = new KeyedRowJson(KeyedViews.campaigns());
        assertThat(text(json.value(campaign(Finality.PARTIAL, 42), 0, 1_451_671_255_250L)))
                .isEqualTo("{\"view\":\"campaign_views\",\"campaign\":\"c1\",\"window_end\":\"2016-01-01T18:01:00Z\","
                        + "\"finality\":\"PARTIAL\",\"sequence\":42,\"created\":\"2016-01-01T18:00:55.250Z\","
                        + "\"features\":{\"views_10s\":3,\"spend_10s\":0.3}}");
        assertThat(text(json.value(campaign(Finality.FINAL, 0), 0)))
                .isEqualTo("{\"view\":\"campaign_views\",\"campaign\":\"c1\",\"window_end\":\"2016-01-01T18:01:00Z\","
                        + "\"finality\":\"FINAL\",\"features\":{\"views_10s\":3,\"spend_10s\":0.3}}");
        assertThat(text(json.key(campaign(Finality.FINAL, 0), 0))).isEqualTo("[\"campaign_views\",\"c1\"]");
        assertThat(text(json.blockKey(campaign(Finality.FINAL, 0))))
                .isEqualTo("[\"campaign_views\",{\"block\":17,\"from\":[\"c1\"]}]");
        assertThat(ProgressJson.parse(json.value(campaign(Finality.FINAL, 0), 0)))
                .isNull();
        byte[] packed = new KeyedRowCodec(KeyedViews.campaigns()).encodeBlock(campaign(Finality.FINAL, 0), 5);
        assertThat(ProgressJson.parse(packed)).isNull();
    }

    /** The bytes of the reference page. */
    @Test
    void packed_row_isAsDocumented() {
        KeyedRowCodec codec = new KeyedRowCodec(KeyedViews.campaigns());
        byte[] row = codec.encodeRow(campaign(Finality.PARTIAL, 42), 0);
        assertThat(HexFormat.of().formatHex(row))
                .isEqualTo("b801" + "00000151fe598b60" + "00" + "2a" + LAYOUT + "00" + "06" + "3fd3333333333333");
        assertThat(HexFormat.of().formatHex(codec.encodeBlock(campaign(Finality.FINAL, 0), 1_451_671_260_500L)))
                .isEqualTo("ba01" + "00000151fe598b60" + "01" + "00" + "00000151fe598d54" + LAYOUT
                        + "0e" + HexFormat.of().formatHex("campaign_views".getBytes(StandardCharsets.US_ASCII))
                        + "11" + "01" + "03" + "04" + "6331" + "00" + "06" + "3fd3333333333333");
        assertThat(RowCodec.windowEndMs(row)).isEqualTo(1_451_671_260_000L);
        assertThat(codec.decodeRow(row).finality()).isEqualTo(Finality.PARTIAL);
        byte[] later = codec.encodeRow(campaign(Finality.PARTIAL, 300), 0);
        byte[] last = codec.encodeRow(campaign(Finality.FINAL, 0), 0);
        assertThat(RowCodec.compareOrder(later, row)).isPositive();
        assertThat(RowCodec.compareOrder(last, later)).isPositive();
        assertThat(RowCodec.compareOrder(row, row)).isZero();
    }

    private static final String LAYOUT = "73067b4b";

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void codecs_randomRows_readBackTheSame(long seed) {
        Random random = new Random(seed);
        FeatureView view = KeyedViews.withEntities(ENTITIES.get(random.nextInt(ENTITIES.size())));
        List<List<Object>> keys = new ArrayList<>();
        for (int left = random.nextInt(20); left > 0; left--) {
            keys.add(KeyedViews.key(view, random));
        }
        Finality finality = random.nextBoolean() ? Finality.FINAL : Finality.PARTIAL;
        KeyedRowBlock block = KeyedViews.rows(view, keys, finality, random);
        KeyedRowCodec packed = new KeyedRowCodec(view);
        KeyedRowJson json = new KeyedRowJson(view);
        KeyCodec codec = new KeyCodec(view);

        byte[] bytes = packed.encodeBlock(block, 99);
        assertThat(KeyedRowCodec.createdMs(bytes)).isEqualTo(99);
        KeyedRowBlock read = packed.decodeBlock(bytes);
        assertThat(packed.encodeBlock(read, 99)).isEqualTo(bytes);
        assertThat(read.windowEndMs()).isEqualTo(block.windowEndMs());
        for (int row = 0; row < block.rows(); row++) {
            List<@Nullable Object> expected = values(view, block, row);
            assertThat(read.key(codec, row)).isEqualTo(block.key(codec, row)).isIn(keys);
            assertThat(values(view, read, row)).isEqualTo(expected);
            StoredRow stored = packed.decodeRow(packed.encodeRow(block, row));
            assertThat(stored)
                    .isEqualTo(new StoredRow.OfValues(block.windowEndMs(), finality, block.sequence(), expected));
            assertUnboxed((RowValues) stored.values(), expected);
            ParsedRow parsed = json.parse(json.value(read, row, 5));
            assertThat(new ArrayList<>(parsed.features().values())).isEqualTo(expected);
            assertThat(new ArrayList<>(parsed.entities().values())).isEqualTo(block.key(codec, row));
            assertThat(parsed.sequence()).isEqualTo(block.sequence());
            assertThat(parsed.finality()).isEqualTo(finality);
            KeyedRowBlock one = json.decodeBlock(json.value(block, row, 5));
            assertThat(packed.encodeRow(one, 0)).isEqualTo(packed.encodeRow(block, row));
            assertThat(one.keyBytes(codec, 0)).isEqualTo(block.keyBytes(codec, row));
            assertThat(packed.encodeRow(block.rows(row, row + 1), 0)).isEqualTo(packed.encodeRow(block, row));
        }
    }

    /** Checks that values can be read without objects, in any order. */
    private static void assertUnboxed(RowValues values, List<@Nullable Object> expected) {
        int[] reversed = IntStream.iterate(values.size() - 1, place -> place >= 0, place -> place - 1)
                .toArray();
        RowValues some = values.at(reversed);
        for (int i = 0; i < reversed.length; i++) {
            Object value = expected.get(reversed[i]);
            assertThat(some.get(i)).isEqualTo(value);
            assertThat(some.isAbsent(i)).isEqualTo(value == null);
            assertThat(some.isWide(i)).isEqualTo(value instanceof BigInteger);
            if (value instanceof Double decimal) {
                assertThat(some.form(i)).isEqualTo(FeatureForm.DOUBLE);
                assertThat(some.bits(i)).isEqualTo(Double.doubleToRawLongBits(decimal));
            } else if (value instanceof Long number) {
                assertThat(some.bits(i)).isEqualTo(number);
            }
        }
    }

    private static List<@Nullable Object> values(FeatureView view, KeyedRowBlock block, int row) {
        KeyedPlan plan = KeyedPlan.of(view);
        int features = plan.spec().features();
        int windows = plan.spec().windowPanes().size();
        List<@Nullable Object> values = new ArrayList<>();
        for (int f = 0, at = row * features; f < features; f++, at++) {
            long low = block.values().low()[at];
            values.add(
                    block.values().nulls()[at]
                            ? null
                            : switch (plan.spec().measures().get(f / windows).form()) {
                                case INT64 -> (Object) low;
                                case DOUBLE -> Double.longBitsToDouble(low);
                                case INT128 -> {
                                    java.math.BigInteger sum =
                                            IntegerSum.big(block.values().high()[at], low);
                                    yield sum.bitLength() < 64 ? (Object) sum.longValue() : sum;
                                }
                            });
        }
        return values;
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void decode_changedBytes_areRefusedOrMeanSomethingElse(long seed) {
        Random random = new Random(seed);
        FeatureView view = KeyedViews.withEntities(ENTITIES.get(random.nextInt(ENTITIES.size())));
        KeyedRowBlock block = KeyedViews.rows(view, List.of(KeyedViews.key(view, random)), Finality.FINAL, random);
        KeyedRowCodec packed = new KeyedRowCodec(view);
        byte[] bytes = packed.encodeBlock(block, 99);
        for (int i = 0; i < 500; i++) {
            byte[] changed =
                    random.nextInt(4) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length + 3)) : bytes.clone();
            for (int flips = random.nextInt(3); flips > 0 && changed.length > 0; flips--) {
                changed[random.nextInt(changed.length)] = (byte) random.nextInt(256);
            }
            try {
                long createdMs = KeyedRowCodec.createdMs(changed);
                assertThat(packed.encodeBlock(packed.decodeBlock(changed), createdMs))
                        .isEqualTo(changed);
            } catch (IllegalArgumentException e) {
                assertThat(e.getMessage()).startsWith("at byte ");
            }
        }
    }

    @Test
    void parse_wrongValues_namesThem() {
        KeyedRowJson json = new KeyedRowJson(KeyedViews.campaigns());
        String row = text(json.value(campaign(Finality.PARTIAL, 42), 0));
        assertThatThrownBy(() -> json.parse(bytes(row.replace("views_10s\":3", "views_10s\":3.5"))))
                .hasMessage("row.views_10s must be a whole number, was 3.5");
        assertThatThrownBy(() -> json.parse(bytes(row.replace(",\"spend_10s\":0.3", ""))))
                .hasMessage("row.spend_10s must be a number, was missing");
        assertThatThrownBy(() -> json.parse(bytes(row.replace(":42", ":-1"))))
                .hasMessage("row.sequence must be a whole number of at least 0, was -1");
        assertThatThrownBy(() -> json.parse(bytes(row.replace("campaign_views", "other"))))
                .hasMessageStartingWith("row.view must be campaign_views");
    }

    @Test
    void block_finalWithSequence_isRefused() {
        assertThatThrownBy(() -> campaign(Finality.FINAL, 1)).hasMessageContaining("0 for FINAL rows, was 1");
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
