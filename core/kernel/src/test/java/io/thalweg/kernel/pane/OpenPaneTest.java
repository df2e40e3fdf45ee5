package io.thalweg.kernel.pane;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.testing.Await;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the tables of a pane with plain maps and sets. */
class OpenPaneTest {
    private static final int SLOTS = 343;

    private record Id(long cell, long hi, long lo) {}

    /** The expected contents of a pane in plain collections. */
    private static final class Twin {
        final Set<Id> ids = new HashSet<>();
        final Map<Long, Long> counts = new HashMap<>();

        void addDistinct(long cell, long hi, long lo) {
            if (ids.add(new Id(cell, hi, lo))) {
                counts.merge(cell, 1L, Long::sum);
            }
        }

        Map<TileGroup, Map<Integer, Integer>> slices() {
            Map<TileGroup, Map<Integer, Integer>> slices = new HashMap<>();
            counts.forEach(
                    (cell, count) -> slices.computeIfAbsent(tileGroup((int) (cell / SLOTS)), t -> new TreeMap<>())
                            .put((int) (cell % SLOTS), count.intValue()));
            return slices;
        }
    }

    private static TileGroup tileGroup(int lot) {
        return new TileGroup(1_000L + lot / 2, new byte[] {(byte) (lot % 2), (byte) (lot >> 8)});
    }

    private static Map<TileGroup, Map<Integer, Integer>> slices(OpenPane pane) {
        Map<TileGroup, Map<Integer, Integer>> slices = new HashMap<>();
        for (PaneSlice slice : pane.slices(7)) {
            assertThat(slice.pane()).isEqualTo(7);
            assertThat(slice.from()).isEqualTo(slice.to().tile());
            assertThat(slice.slots()).isSorted().doesNotHaveDuplicates();
            Map<Integer, Integer> counts = new TreeMap<>();
            for (int i = 0; i < slice.slots().length; i++) {
                counts.put(slice.slots()[i], slice.counts()[i]);
            }
            assertThat(slices.put(slice.to(), counts)).isNull();
        }
        return slices;
    }

    @Test
    void addDistinct_manyAddsOverManySplits_equalsASet() throws IOException {
        requireSet(1, 100_000);
    }

    @Test
    @Tag("soak")
    void addDistinct_halfAMillionAddsOverManySplits_equalsASet() throws IOException {
        requireSet(2, 500_000);
    }

    private static void requireSet(long seed, int adds) throws IOException {
        Random random = new Random(seed);
        OpenPane pane = new OpenPane(SLOTS);
        Twin twin = new Twin();
        for (int i = 0; i < adds; i++) {
            int lot = random.nextInt(20);
            pane.lot(tileGroup(lot));
            add(pane, twin, lot, random);
        }
        assertThat(twin.ids.size()).isGreaterThan(adds / 5 * 2);
        assertThat(slices(pane)).isEqualTo(twin.slices());
        assertThat(pane.cells()).isEqualTo(twin.counts.size());
        assertThat(pane.bytes()).isBetween(24L * twin.ids.size(), 24L * 4 * twin.ids.size());

        OpenPane read = read(bytes(pane));
        assertThat(slices(read)).isEqualTo(twin.slices());
        for (int i = 0; i < adds / 10; i++) {
            add(read, twin, random.nextInt(20), random);
        }
        assertThat(slices(read)).isEqualTo(twin.slices());
    }

    /** Adds identities that repeat, differ in one half only, or are all zeros or all ones. */
    private static void add(OpenPane pane, Twin twin, int lotNumber, Random random) {
        int slot = random.nextInt(SLOTS);
        long hi = random.nextInt(-1, 2);
        long lo = random.nextInt(-1, 100) * (random.nextBoolean() ? 1 : 0x1_0000_0001L);
        int lot = pane.lot(tileGroup(lotNumber));
        pane.addDistinct(lot, slot, hi, lo);
        twin.addDistinct((long) lotNumber * SLOTS + slot, hi, lo);
    }

    @Test
    void addEvent_anyEvents_countsEach() {
        Random random = new Random(3);
        OpenPane pane = new OpenPane(SLOTS);
        Twin twin = new Twin();
        for (int i = 0; i < 300_000; i++) {
            int lotNumber = (int) Math.abs(random.nextGaussian() * 40);
            int slot = random.nextInt(SLOTS);
            pane.addEvent(pane.lot(tileGroup(lotNumber)), slot);
            twin.counts.merge((long) lotNumber * SLOTS + slot, 1L, Long::sum);
        }
        assertThat(slices(pane)).isEqualTo(twin.slices());
    }

    @ParameterizedTest(name = "seed={0}")
    @ValueSource(longs = {4, 5, 6})
    void copy_atRandomMoments_bothSidesGoTheirOwnWay(long seed) throws IOException {
        Random random = new Random(seed);
        List<OpenPane> panes = new ArrayList<>(List.of(new OpenPane(SLOTS)));
        List<Twin> twins = new ArrayList<>(List.of(new Twin()));
        for (int i = 0; i < 120_000; i++) {
            int at = random.nextInt(panes.size());
            if (panes.size() < 6 && random.nextInt(15_000) == 0) {
                panes.add(panes.get(at).copy());
                Twin twin = new Twin();
                twin.ids.addAll(twins.get(at).ids);
                twin.counts.putAll(twins.get(at).counts);
                twins.add(twin);
            }
            add(panes.get(at), twins.get(at), random.nextInt(9), random);
        }
        assertThat(panes.size()).isGreaterThan(2);
        for (int at = 0; at < panes.size(); at++) {
            assertThat(slices(panes.get(at))).isEqualTo(twins.get(at).slices());
            assertThat(slices(read(bytes(panes.get(at)))))
                    .isEqualTo(twins.get(at).slices());
        }
    }

    /** As in a snapshot, the copy continues as the live value while another thread writes the original. */
    @Test
    void write_originalByAnotherThread_isAsItWasAtTheCopy() throws Exception {
        ExecutorService snapshots = Executors.newSingleThreadExecutor();
        Random random = new Random(8);
        OpenPane live = new OpenPane(SLOTS);
        Twin twin = new Twin();
        List<Future<byte[]>> written = new ArrayList<>();
        List<Map<TileGroup, Map<Integer, Integer>>> expected = new ArrayList<>();
        try {
            for (int i = 0; i < 200_000; i++) {
                if (i % 20_000 == 10_000) {
                    OpenPane frozen = live;
                    expected.add(twin.slices());
                    written.add(snapshots.submit(() -> bytes(frozen)));
                    live = live.copy();
                }
                add(live, twin, random.nextInt(9), random);
            }
            for (int s = 0; s < written.size(); s++) {
                assertThat(slices(read(Await.get(written.get(s))))).isEqualTo(expected.get(s));
            }
        } finally {
            snapshots.shutdownNow();
        }
        assertThat(slices(live)).isEqualTo(twin.slices());
    }

    @Test
    void shardPanes_closeOldest_closesInOrderAndRemembers() throws IOException {
        ShardPanes shard = new ShardPanes(SLOTS, 3);
        assertThat(shard.isClosed(2)).isTrue();
        assertThat(shard.isClosed(3)).isFalse();
        for (long pane : new long[] {9, 4, 6}) {
            OpenPane open = shard.pane(pane);
            open.addDistinct(open.lot(tileGroup((int) pane)), 5, 1, pane);
        }
        ShardPanes copy = shard.copy();

        assertThat(shard.closeOldest(7)).extracting(PaneSlice::pane).containsExactly(4L);
        assertThat(shard.isClosed(4)).isTrue();
        assertThat(shard.isClosed(5)).isFalse();
        ShardPanes halfClosed = ShardPanes.read(in(bytes(shard)));
        assertThat(halfClosed.isClosed(4)).isTrue();
        for (ShardPanes each : List.of(shard, halfClosed)) {
            assertThat(each.closeOldest(7)).extracting(PaneSlice::pane).containsExactly(6L);
            assertThat(each.closeOldest(7)).isEmpty();
            assertThat(each.isClosed(6)).isTrue();
            assertThat(each.isEmpty()).isFalse();
            assertThat(each.closeOldest(Long.MAX_VALUE))
                    .extracting(PaneSlice::pane)
                    .containsExactly(9L);
            assertThat(each.isEmpty()).isTrue();
            assertThat(each.bytes()).isZero();
        }
        assertThat(copy.isClosed(4)).isFalse();
        assertThat(copy.closeOldest(5)).extracting(PaneSlice::pane).containsExactly(4L);
    }

    private static byte[] bytes(OpenPane pane) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            pane.write(new DataOutputStream(out));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static byte[] bytes(ShardPanes panes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        panes.write(new DataOutputStream(out));
        return out.toByteArray();
    }

    private static OpenPane read(byte[] bytes) throws IOException {
        DataInputStream in = in(bytes);
        OpenPane pane = OpenPane.read(in, SLOTS);
        assertThat(in.available()).isZero();
        return pane;
    }

    private static DataInputStream in(byte[] bytes) {
        return new DataInputStream(new ByteArrayInputStream(bytes));
    }
}
