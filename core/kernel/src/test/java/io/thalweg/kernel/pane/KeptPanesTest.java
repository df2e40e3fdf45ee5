package io.thalweg.kernel.pane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class KeptPanesTest {
    private static final int WINDOW = 4;

    private static TileGroup lot(int number) {
        return new TileGroup(number, new byte[] {(byte) (number * 7)});
    }

    private static KeptPanes.Slice slice(long pane, Random random) {
        int positions = 1 + random.nextInt(5);
        int[] at = new int[positions];
        int[] counts = new int[positions];
        for (int i = 0; i < positions; i++) {
            at[i] = (i == 0 ? 0 : at[i - 1]) + 1 + random.nextInt(1 << random.nextInt(1, 17));
            counts[i] = 1 + random.nextInt(1 << random.nextInt(1, 31));
        }
        return new KeptPanes.Slice(pane, PositionCounts.of(at, counts));
    }

    private static String text(KeptPanes.Slice slice) {
        return slice.pane() + " " + slice.counts();
    }

    private static Map<TileGroup, List<String>> contents(KeptPanes kept) {
        Map<TileGroup, List<String>> contents = new LinkedHashMap<>();
        for (int number = 0; number < kept.entries(); number++) {
            List<String> slices = new ArrayList<>();
            kept.slices(number).forEach(slice -> slices.add(text(slice)));
            contents.put(kept.tileGroup(number), slices);
        }
        return contents;
    }

    /**
     * Assembles end by end as the operator does, but is copied, written and read at random. A twin of plain lists defines the
     * slices of each end and verifies that no end with slices is skipped.
     */
    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void walk_copiedAndRestoredAnywhere_seesEverySliceAtEveryEnd(long seed) throws IOException {
        Random random = new Random(seed);
        KeptPanes kept = new KeptPanes(Long.MIN_VALUE);
        Map<TileGroup, List<KeptPanes.Slice>> twin = new LinkedHashMap<>();
        long watermark = random.nextInt(-20, 20);
        long lastEnd = Long.MIN_VALUE;
        for (int round = 0; round < 30; round++) {
            for (int adds = random.nextInt(6); adds > 0; adds--) {
                KeptPanes.Slice slice = slice(watermark + random.nextInt(2), random);
                TileGroup lot = lot(random.nextInt(5));
                kept.add(lot, slice);
                twin.computeIfAbsent(lot, t -> new ArrayList<>()).add(slice);
            }
            watermark += random.nextInt(4) == 0 ? random.nextInt(40) : 1;
            for (long end = kept.nextEnd(watermark); end > lastEnd; end = kept.nextEnd(watermark)) {
                assertNothingJumpedOver(twin, lastEnd, end);
                kept.begin(end);
                while (kept.nextEntry() < kept.entries()) {
                    List<String> seen = new ArrayList<>();
                    kept.slices(kept.nextEntry()).forEach(slice -> seen.add(text(slice)));
                    assertThat(seen).isEqualTo(needed(twin, kept.tileGroup(kept.nextEntry()), end));
                    kept.lotDone();
                    kept = disturbed(kept, random);
                    assertThat(kept.nextEnd(watermark)).isEqualTo(end);
                }
                kept.endDone(end, end - WINDOW);
                lastEnd = end;
                kept = disturbed(kept, random);
                assertThat(kept.firedEnd()).isEqualTo(end);
                if (end == watermark) {
                    break;
                }
            }
        }
        long end = watermark + WINDOW + 2;
        kept.begin(end);
        kept.endDone(end, end - WINDOW);
        assertThat(kept.entries()).isZero();
        assertThat(kept.nextEnd(end + 100)).isEqualTo(end + 100);
        assertThat(bytes(kept)).as("nothing is left but the cursor").hasSize(16);
    }

    /** Returns the slices of a lot that an end needs: all of the last WINDOW + 1 panes, and early ones. */
    private static List<String> needed(Map<TileGroup, List<KeptPanes.Slice>> twin, TileGroup lot, long end) {
        return twin.getOrDefault(lot, List.of()).stream()
                .filter(slice -> slice.pane() >= end - WINDOW - 1)
                .collect(Collectors.groupingBy(
                        KeptPanes.Slice::pane,
                        TreeMap::new,
                        Collectors.mapping(KeptPanes.Slice::counts, Collectors.reducing(PositionCounts::plus))))
                .entrySet()
                .stream()
                .map(pane ->
                        text(new KeptPanes.Slice(pane.getKey(), pane.getValue().orElseThrow())))
                .toList();
    }

    private static void assertNothingJumpedOver(
            Map<TileGroup, List<KeptPanes.Slice>> twin, long doneEnd, long nextEnd) {
        for (List<KeptPanes.Slice> slices : twin.values()) {
            for (KeptPanes.Slice slice : slices) {
                // Ends pane+1 … pane+WINDOW contain it, pane+WINDOW+1 closes it.
                long first = Math.max(slice.pane() + 1, doneEnd + 1);
                assertThat(first > slice.pane() + WINDOW + 1 || first >= nextEnd)
                        .as("end %d, with pane %d below it, is jumped over to %d", first, slice.pane(), nextEnd)
                        .isTrue();
            }
        }
    }

    private static KeptPanes disturbed(KeptPanes kept, Random random) throws IOException {
        return switch (random.nextInt(3)) {
            case 0 -> kept.copy();
            case 1 -> KeptPanes.read(new DataInputStream(new ByteArrayInputStream(bytes(kept))));
            default -> kept;
        };
    }

    @Test
    void copy_eitherSideWritten_theOtherStaysAsItWas() {
        Random random = new Random(5);
        KeptPanes original = new KeptPanes(0);
        for (int i = 0; i < 20; i++) {
            original.add(lot(i % 4), slice(i / 4, random));
        }
        KeptPanes copy = original.copy();
        Map<TileGroup, List<String>> before = contents(original);

        copy.add(lot(1), slice(9, random));
        copy.add(lot(9), slice(9, random));
        copy.endDone(3, 2);
        assertThat(contents(original)).isEqualTo(before);
        assertThat(original.firedEnd()).isZero();

        Map<TileGroup, List<String>> copied = contents(copy);
        original.add(lot(2), slice(8, random));
        original.endDone(6, 6);
        assertThat(contents(copy)).isEqualTo(copied);
        assertThat(contents(original)).containsOnlyKeys(lot(2));
    }

    @Test
    void add_paneBelowTheFiredEnd_isRefused() {
        KeptPanes kept = new KeptPanes(0);
        kept.endDone(5, 1);
        kept.add(lot(1), slice(5, new Random(1)));
        assertThatThrownBy(() -> kept.add(lot(1), slice(4, new Random(1))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("pane 4")
                .hasMessageContaining("window end 5");
    }

    private static byte[] bytes(KeptPanes kept) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        kept.write(new DataOutputStream(out));
        return out.toByteArray();
    }
}
