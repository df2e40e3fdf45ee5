package io.thalweg.model.row;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.thalweg.model.Definitions;
import io.thalweg.model.Views;
import io.thalweg.model.view.FeatureView;
import io.thalweg.testing.Checkout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PackedRowsTest {
    private static final FeatureView DEMAND = Views.demand();
    private static final FeatureView SMALL = Views.small();

    static LongStream seeds() {
        return new Random().longs(200);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void decodeBlock_anyBlock_givesItBack(long seed) {
        Random random = new Random(seed);
        FeatureView view = random.nextBoolean() ? DEMAND : SMALL;
        HexRowBlock block = random(view, random);
        HexRowCodec codec = new HexRowCodec(view);

        byte[] bytes = codec.encodeBlock(block, 1_700_000_000_123L);

        HexRowBlock decoded = codec.decodeBlock(bytes);
        assertThat(decoded.sums()).isEqualTo(block.sums());
        assertThat(decoded)
                .usingRecursiveComparison()
                .ignoringFields("packed", "codec")
                .isEqualTo(block);
        assertThat(HexRowCodec.createdMs(bytes)).isEqualTo(1_700_000_000_123L);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void decodeRow_anyRow_givesItBack(long seed) {
        Random random = new Random(seed);
        FeatureView view = random.nextBoolean() ? DEMAND : SMALL;
        HexRowBlock block = random(view, random);
        HexRowCodec codec = new HexRowCodec(view);
        int row = random.nextInt(block.rows());
        long sequence = random.nextBoolean() ? 0 : random.nextLong() >>> 1;

        byte[] bytes = codec.encodeRow(block, row, sequence);

        int features = view.featureNames().size();
        int rings = view.rings().size();
        int[] sizes = block.diskSizes();
        StoredRow.OfSums expected = new StoredRow.OfSums(
                block.windowEndMs(),
                block.finality(),
                sequence,
                Arrays.copyOfRange(block.sums(), row * features, (row + 1) * features),
                sizes == null ? null : Arrays.copyOfRange(sizes, row * rings, (row + 1) * rings),
                new RingDivisors(view));
        assertThat(codec.decodeRow(bytes)).usingRecursiveComparison().isEqualTo(expected);
        assertThat(RowCodec.windowEndMs(bytes)).isEqualTo(block.windowEndMs());
        assertThat(codec.decodeRow(bytes).finality()).isEqualTo(block.finality());
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void rows_ofADecodedBlock_areTheRowsOfTheBlock(long seed) {
        Random random = new Random(seed);
        FeatureView view = random.nextBoolean() ? DEMAND : SMALL;
        HexRowBlock block = random(view, random);
        HexRowCodec codec = new HexRowCodec(view);
        int from = random.nextInt(block.rows());
        int to = from + 1 + random.nextInt(block.rows() - from);

        HexRowBlock part = codec.decodeBlock(codec.encodeBlock(block, 7)).rows(from, to);

        HexRowBlock expected = block.rows(from, to);
        for (int row = 0; row < to - from; row++) {
            assertThat(codec.decodeRow(codec.encodeRow(part, row)))
                    .usingRecursiveComparison()
                    .isEqualTo(codec.decodeRow(codec.encodeRow(block, from + row)));
        }
        assertThat(part.sums()).isEqualTo(expected.sums());
        assertThat(part)
                .usingRecursiveComparison()
                .ignoringFields("packed", "codec")
                .isEqualTo(expected);
    }

    /** Changed, cut and random bytes: an IllegalArgumentException that names the offset, or a value, never anything else. */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("seeds")
    void decode_garbage_namesTheOffset(long seed) {
        Random random = new Random(seed);
        FeatureView view = random.nextBoolean() ? DEMAND : SMALL;
        HexRowCodec codec = new HexRowCodec(view);
        HexRowBlock block = random(view, random);
        byte[] wholeBlock = codec.encodeBlock(block, 0);
        byte[] wholeRow = codec.encodeRow(block, 0);
        for (int i = 0; i < 50; i++) {
            byte[] badBlock = damaged(wholeBlock, random);
            byte[] badRow = damaged(wholeRow, random);
            onlyNamesTheOffset(() -> requireSums(codec.decodeBlock(badBlock)));
            onlyNamesTheOffset(() -> codec.decodeRow(badRow));
            onlyNamesTheOffset(() -> RowCodec.compareOrder(badRow, wholeRow));
            onlyNamesTheOffset(() -> HexRowCodec.createdMs(badBlock));
        }
    }

    @Test
    void decodeBlock_cutAnywhere_isRefused() {
        HexRowCodec codec = new HexRowCodec(SMALL);
        byte[] bytes = codec.encodeBlock(random(SMALL, new Random(1)), 0);
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> codec.decodeBlock(cut))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("at byte ");
        }
    }

    @Test
    void decodeRow_writtenWithOtherRings_saysSo() {
        byte[] bytes = new HexRowCodec(DEMAND).encodeRow(random(DEMAND, new Random(1)), 0);
        assertThatThrownBy(() -> new HexRowCodec(SMALL).decodeRow(bytes))
                .hasMessage("at byte 12: written with other rings or windows than view small_v2 has now");
    }

    @Test
    void encodeRow_negativeSum_isRefused() {
        HexRowBlock block = random(SMALL, new Random(1));
        block.sums()[0] = -1;
        assertThatThrownBy(() -> new HexRowCodec(SMALL).encodeRow(block, 0)).hasMessageContaining("was -1");
    }

    @Test
    void compareOrder_everyPair_isByEndThenFinalityThenSequence() {
        HexRowCodec codec = new HexRowCodec(SMALL);
        List<byte[]> ascending = List.of(
                row(codec, 60_000, Finality.PARTIAL, 1),
                row(codec, 60_000, Finality.PARTIAL, 300),
                row(codec, 60_000, Finality.FINAL, 0),
                row(codec, 120_000, Finality.PARTIAL, 0),
                row(codec, 120_000, Finality.FINAL, 0));
        for (int i = 0; i < ascending.size(); i++) {
            for (int j = 0; j < ascending.size(); j++) {
                assertThat(Integer.signum(RowCodec.compareOrder(ascending.get(i), ascending.get(j))))
                        .isEqualTo(Integer.compare(i, j));
            }
        }
    }

    /** The example of docs/reference/packed.md. */
    @Test
    void encode_exampleOfTheReference_givesItsBytes() {
        FeatureView view = ViewsOfTheReference.packed();
        HexRowCodec codec = new HexRowCodec(view);
        HexRowBlock block = ViewsOfTheReference.block();

        assertThat(grouped(codec.encodeRow(block, 0))).isEqualTo(ViewsOfTheReference.hex("row"));
        assertThat(grouped(codec.encodeBlock(block, 1_451_671_260_500L))).isEqualTo(ViewsOfTheReference.hex("block"));
    }

    /** From a quiet suburb to two distinct riders in every cell every minute. */
    @Test
    void encodeRow_realisticDemand_staysBelow120Bytes() {
        for (double perCell : new double[] {0.01, 0.1, 0.5, 2}) {
            Random random = new Random(7);
            int[] panes = DEMAND.windows().panes();
            long[] sums = new long[54];
            long bytes = 0;
            int rows = 200;
            for (int row = 0; row < rows; row++) {
                nested(sums, panes, perCell, random);
                HexRowBlock block = new HexRowBlock(
                        BlockHead.ofFinal("demand", 0, 1_451_671_260_000L),
                        1,
                        List.of("17a2b60c-29dd-5f76-95f3-b65da5cbbdbe"),
                        new long[] {0x892a1008003ffffL},
                        sums,
                        null);
                bytes += new HexRowCodec(DEMAND).encodeRow(block, 0).length;
            }
            assertThat(bytes / (double) rows)
                    .as("bytes per row at %s a cell and minute", perCell)
                    .isLessThan(100);
        }
    }

    private static void nested(long[] sums, int[] panes, double perCell, Random random) {
        for (int i = 0; i < 54; i++) {
            int ring = i / 6;
            int cells = HexRowBlock.regularDiskSize(DEMAND.rings().get(ring))
                    - (ring == 0
                            ? 0
                            : HexRowBlock.regularDiskSize(DEMAND.rings().get(ring - 1)));
            int more = panes[i % 6] - (i % 6 == 0 ? 0 : panes[i % 6 - 1]);
            double mean = perCell * cells * more;
            long count = Math.max(0, Math.round(mean + Math.sqrt(mean) * random.nextGaussian()));
            sums[i] = count
                    + (i < 6 ? 0 : sums[i - 6])
                    + (i % 6 == 0 ? 0 : sums[i - 1])
                    - (i < 6 || i % 6 == 0 ? 0 : sums[i - 7]);
        }
    }

    static String grouped(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static byte[] row(HexRowCodec codec, long windowEndMs, Finality finality, long sequence) {
        HexRowBlock some = random(SMALL, new Random(1));
        return codec.encodeRow(
                new HexRowBlock(
                        new BlockHead(some.view(), 0, new RowOrder(windowEndMs, finality, 0)),
                        1,
                        some.group(),
                        some.cells(),
                        some.sums(),
                        some.diskSizes()),
                0,
                sequence);
    }

    private static void onlyNamesTheOffset(Runnable decode) {
        try {
            decode.run();
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageStartingWith("at byte ");
        } catch (RuntimeException | Error e) {
            fail("decoding must not throw this", e);
        }
    }

    private static void requireSums(HexRowBlock block) {
        for (long sum : block.sums()) {
            assertThat(sum).isNotNegative();
        }
    }

    static byte[] damaged(byte[] whole, Random random) {
        if (random.nextInt(4) == 0) {
            byte[] noise = new byte[random.nextInt(200)];
            random.nextBytes(noise);
            return noise;
        }
        byte[] bytes = Arrays.copyOf(whole, random.nextBoolean() ? whole.length : random.nextInt(whole.length + 4));
        for (int i = random.nextInt(4); i >= 0 && bytes.length > 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        return bytes;
    }

    /** Creates a random block; half of the blocks have sums that nest as real ones do, the others arbitrary ones. */
    static HexRowBlock random(FeatureView view, Random random) {
        int rings = view.rings().size();
        int features = view.featureNames().size();
        long[] cells = random.longs(1 + random.nextInt(20), 0, 16_807)
                .distinct()
                .sorted()
                .map(slot -> 0x892a10000000000L | (slot << 18) | 0x3FFFF)
                .toArray();
        long[] sums = new long[cells.length * features];
        if (random.nextBoolean()) {
            for (int i = 0; i < sums.length; i++) {
                sums[i] = (random.nextLong() >>> 1) >>> random.nextInt(64);
            }
        } else {
            int windows = view.windows().sizes().size();
            for (int i = 0; i < sums.length; i++) {
                int at = i % features;
                long above = at < windows ? 0 : sums[i - windows];
                long before = at % windows == 0 ? 0 : sums[i - 1] - (at < windows ? 0 : sums[i - windows - 1]);
                sums[i] = random.nextInt(1 << random.nextInt(12)) + above + before;
            }
        }
        int[] sizes = null;
        if (random.nextInt(3) == 0) {
            sizes = new int[cells.length * rings];
            for (int i = 0; i < sizes.length; i++) {
                sizes[i] = HexRowBlock.regularDiskSize(view.rings().get(i % rings));
                sizes[i] -= random.nextInt(Math.min(5, sizes[i]));
            }
        }
        // The random numbers are drawn in the order of the Python client's vectors.
        int shard = random.nextInt(256);
        List<Object> group = GroupCodecTest.random(view.group(), random);
        long windowEndMs = 60_000L * random.nextInt(30_000_000);
        Finality finality = random.nextBoolean() ? Finality.FINAL : Finality.PARTIAL;
        BlockHead head = new BlockHead(view.qualifiedName(), shard, new RowOrder(windowEndMs, finality, 0));
        return new HexRowBlock(head, 0x852a1003fffffffL, group, cells, sums, sizes);
    }

    /** The view, the block and the bytes that docs/reference/packed.md shows. */
    static final class ViewsOfTheReference {
        private ViewsOfTheReference() {}

        static FeatureView packed() {
            return Definitions.parse("""
                            apiVersion: thalweg/v1
                            kind: FeatureView
                            name: demand
                            source: {topic: rider-events}
                            entities:
                              - {name: cell, h3: {lat: lat, lng: lng, resolution: 9}}
                              - {name: city, field: city}
                            measure: {count_distinct: rider_id}
                            rings: [0, 1]
                            windows: {sizes: [1m, 2m], every: 1m}
                            """, "packed.md").views().get(0);
        }

        static HexRowBlock block() {
            return new HexRowBlock(
                    BlockHead.ofFinal("demand", 17, 1_451_671_260_000L),
                    0x852a1003fffffffL,
                    List.of("nyc"),
                    new long[] {0x892a1008003ffffL, 0x892a100800bffffL},
                    new long[] {1, 3, 4, 9, 0, 1, 3, 5},
                    null);
        }

        /** Returns the text of the code block that follows {@code <!-- name -->}, without spaces and comments. */
        static String hex(String name) {
            try {
                String page = java.nio.file.Files.readString(
                        Checkout.file("docs/reference/packed.md"), StandardCharsets.UTF_8);
                String block = page.split("<!-- " + name + " -->\n```\n")[1].split("\n```")[0];
                return block.lines()
                        .map(line -> line.replaceAll("  .*", "").replace(" ", ""))
                        .reduce("", String::concat);
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }
}
