package io.thalweg.jobs.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.jobs.block.OutputItem;
import io.thalweg.jobs.block.ShardBlock;
import io.thalweg.jobs.block.Shards;
import io.thalweg.jobs.block.SliceBlock;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.kernel.pane.PaneSlice;
import io.thalweg.kernel.pane.TileGroup;
import io.thalweg.model.row.GroupCodec;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.view.FeatureView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests accumulation and assembly with a snapshot and restore between any two steps, including those of a walk. */
class RestoreEverywhereTest {
    private static final FeatureView VIEW = CityEvents.view("json", "at_least_once");
    private static final HexTiling TILING = HexTiling.of(9);
    private static final long MINUTE = 60_000;

    /** The compared properties of a block of rows, because the rows themselves would fill the memory. */
    private record Assembled(long tile, int shard, String group, long windowEndMs, int cells, int sums) {}

    private static Object small(Object out) {
        if (out instanceof OutputItem.Rows rows && rows.block() instanceof HexRowBlock block) {
            return new Assembled(
                    block.tile(),
                    block.shard(),
                    block.group().toString(),
                    block.windowEndMs(),
                    Arrays.hashCode(block.cells()),
                    Arrays.deepHashCode(new Object[] {block.sums()}));
        }
        return out;
    }

    /** Creates blocks of a few tiles, in several panes, and watermarks. */
    private static List<Object> input(long seed) {
        Random random = new Random(seed);
        List<TileGroup> entries = new ArrayList<>();
        GroupCodec codec = new GroupCodec(VIEW.group());
        for (long cell : TILING_CELLS) {
            for (long product = 1; product <= 2; product++) {
                entries.add(
                        new TileGroup(TILING.tile(cell), codec.encode(List.of(new UUID(product, product).toString()))));
            }
        }
        List<Object> input = new ArrayList<>();
        long pane = 100;
        for (int i = 0; i < 40; i++) {
            TileGroup lot = entries.get(random.nextInt(entries.size()));
            int events = 1 + random.nextInt(30);
            long[] panes = new long[events];
            int[] slots = new int[events];
            long[] hi = new long[events];
            long[] lo = new long[events];
            for (int e = 0; e < events; e++) {
                panes[e] = pane + random.nextInt(2);
                slots[e] = random.nextInt(TILING.slots() / 400) * 400;
                lo[e] = random.nextInt(20);
            }
            input.add(new ShardBlock(
                    Shards.of(lot.tile()), new TileGroup[] {lot}, new int[events], panes, slots, hi, lo));
            if (random.nextInt(4) == 0) {
                pane += random.nextInt(8) == 0 ? 20 : 1;
                input.add(new Watermark(pane * MINUTE + random.nextInt(1000)));
            }
        }
        return input;
    }

    private static final long[] TILING_CELLS = {
        TILING.cell(40.73, -73.99), TILING.cell(40.73, -73.6), TILING.cell(51.5, 0)
    };

    private static List<Object> accumulate(List<Object> input, int phase, int period) throws Exception {
        RestartingOperator<ShardBlock, SliceBlock> operator = new RestartingOperator<>(
                () -> new AccumulateOperator(VIEW, "restore-test", false),
                ShardBlock::recordKey,
                SliceBlock.TYPE,
                RestoreEverywhereTest::small,
                phase,
                period);
        for (Object each : input) {
            if (each instanceof ShardBlock block) {
                operator.element(block);
            } else if (each instanceof Watermark mark) {
                operator.watermark(mark.getTimestamp());
            }
        }
        operator.end();
        assertThat(operator.restores).isGreaterThanOrEqualTo(period == 0 ? 0 : 15);
        assertThat(operator.entries()).as("a shard keeps how far it is closed").isLessThanOrEqualTo(3);
        return operator.output;
    }

    private static List<Object> assemble(List<Object> input, int phase, int period) throws Exception {
        RestartingOperator<SliceBlock, OutputItem> operator = new RestartingOperator<>(
                () -> new AssembleOperator(VIEW, Long.MIN_VALUE, true, "restore-test"),
                SliceBlock::recordKey,
                OutputItem.TYPE,
                RestoreEverywhereTest::small,
                phase,
                period);
        for (Object each : input) {
            if (each instanceof SliceBlock block) {
                operator.element(block);
            } else if (each instanceof Watermark mark && !mark.equals(Watermark.MAX_WATERMARK)) {
                operator.watermark(mark.getTimestamp());
            }
        }
        operator.end();
        assertThat(operator.restores).isGreaterThanOrEqualTo(period == 0 ? 0 : 3);
        return operator.output;
    }

    private static List<String> slices(List<Object> output) {
        long closedMs = Long.MIN_VALUE;
        List<String> slices = new ArrayList<>();
        for (Object each : output) {
            if (each instanceof SliceBlock block) {
                for (PaneSlice slice : block.slices()) {
                    assertThat((slice.pane() + 1) * MINUTE)
                            .as("a slice behind the watermark that it belongs before")
                            .isGreaterThan(closedMs);
                    slices.add(slice.to() + " " + slice.from() + " " + slice.pane() + Arrays.toString(slice.slots())
                            + Arrays.toString(slice.counts()));
                }
            } else if (each instanceof Watermark mark) {
                closedMs = Math.max(closedMs, mark.getTimestamp());
            }
        }
        slices.sort(null);
        return slices;
    }

    private static List<String> rows(List<Object> output) {
        long reachedMs = Long.MIN_VALUE;
        Set<String> done = new HashSet<>();
        List<String> rows = new ArrayList<>();
        for (Object each : output) {
            if (each instanceof Assembled block) {
                assertThat(block.windowEndMs())
                        .as("rows behind the watermark that they belong before")
                        .isGreaterThan(reachedMs);
                assertThat(done)
                        .as("rows behind their progress")
                        .doesNotContain(block.shard() + "@" + block.windowEndMs());
                rows.add(block.toString());
            } else if (each instanceof OutputItem.Done progress) {
                done.add(progress.progress().shard() + "@" + progress.progress().windowEndMs());
            } else if (each instanceof Watermark mark) {
                reachedMs = Math.max(reachedMs, mark.getTimestamp());
            }
        }
        rows.sort(null);
        rows.add("progress " + new java.util.TreeSet<>(done));
        return rows;
    }

    @Test
    void restore_betweenAnyTwoSteps_changesNothing() throws Exception {
        requireNoChange(1);
    }

    @Test
    @Tag("soak")
    void restore_betweenAnyTwoStepsOfAnotherInput_changesNothing() throws Exception {
        requireNoChange(2);
    }

    private static void requireNoChange(int seed) throws Exception {
        List<Object> input = input(seed);
        List<Object> slices = accumulate(input, 0, 0);
        assertThat(slices(accumulate(input, seed, 3))).isEqualTo(slices(slices)).isNotEmpty();

        List<Object> rows = assemble(slices, 0, 0);
        List<String> expected = rows(rows);
        assertThat(expected).hasSizeGreaterThan(20);
        assertThat(rows(assemble(slices, 300 * seed, 1_009))).isEqualTo(expected);
    }

    @Test
    void restore_viewWithAnotherMeaning_isRefused() throws Exception {
        RestartingOperator<ShardBlock, SliceBlock> before = new RestartingOperator<>(
                () -> new AccumulateOperator(VIEW, "restore-test", false),
                ShardBlock::recordKey,
                SliceBlock.TYPE,
                RestoreEverywhereTest::small,
                0,
                0);
        before.element((ShardBlock) input(1).get(0));
        OperatorSubtaskState state = before.snapshot();
        FeatureView other = CityEvents.view("demand", "other-events", "2s", "json", "at_least_once");

        var after = new KeyedOneInputStreamOperatorTestHarness<>(
                new AccumulateOperator(other, "restore-test", false),
                ShardBlock::recordKey,
                Types.INT,
                Shards.COUNT,
                1,
                0);
        assertThatThrownBy(() -> after.initializeState(state))
                .isInstanceOf(IncompatibleViewException.class)
                .hasMessageContaining("topics was [\"rider-events\"], is [\"other-events\"]")
                .hasMessageContaining("--resume none");
    }

    /** Processes half of the input with one view, resumes, and processes the rest with another. */
    private static List<Object> resumed(FeatureView before, FeatureView after, List<Object> input) throws Exception {
        FeatureView[] view = {before};
        boolean[] changed = {false};
        RestartingOperator<ShardBlock, SliceBlock> accumulate = new RestartingOperator<>(
                () -> new AccumulateOperator(view[0], "restore-test", false),
                ShardBlock::recordKey,
                SliceBlock.TYPE,
                RestoreEverywhereTest::small,
                0,
                0);
        RestartingOperator<SliceBlock, OutputItem> assemble = new RestartingOperator<>(
                () -> new AssembleOperator(view[0], changed[0] ? RESUMED_MS : Long.MIN_VALUE, false, "restore-test"),
                SliceBlock::recordKey,
                OutputItem.TYPE,
                RestoreEverywhereTest::small,
                0,
                0);
        int handedOn = 0;
        for (Object each : input) {
            if (each instanceof Watermark mark && mark.getTimestamp() >= RESUMED_MS && !changed[0]) {
                changed[0] = true;
                view[0] = after;
                accumulate.die();
                assemble.die();
            }
            if (each instanceof ShardBlock block) {
                accumulate.element(block);
            } else if (each instanceof Watermark mark) {
                accumulate.watermark(mark.getTimestamp());
            }
            handedOn = handOn(accumulate.output, handedOn, assemble);
        }
        accumulate.end();
        handOn(accumulate.output, handedOn, assemble);
        assemble.end();
        assertThat(changed).containsExactly(true);
        return assemble.output;
    }

    private static int handOn(List<Object> output, int from, RestartingOperator<SliceBlock, OutputItem> to)
            throws Exception {
        for (Object each : output.subList(from, output.size())) {
            if (each instanceof SliceBlock block) {
                to.element(block);
            } else if (each instanceof Watermark mark && !mark.equals(Watermark.MAX_WATERMARK)) {
                to.watermark(mark.getTimestamp());
            }
        }
        return output.size();
    }

    private static final long RESUMED_MS = 104 * MINUTE;
    private static final FeatureView SMALLER = CityEvents.view("[0, 2]", "[1m, 4m]", VIEW);

    private static List<Assembled> rowsAfter(long windowEndMs, List<Object> output) {
        return output.stream()
                .filter(Assembled.class::isInstance)
                .map(Assembled.class::cast)
                .filter(block -> block.windowEndMs() > windowEndMs)
                .sorted(Comparator.comparing(Assembled::toString))
                .toList();
    }

    private static List<Object> dense(long seed) {
        return input(seed).stream()
                .filter(each -> !(each instanceof Watermark mark) || mark.getTimestamp() < 115 * MINUTE)
                .toList();
    }

    @ParameterizedTest(name = "seed={0}")
    @ValueSource(ints = {3, 4})
    void resume_fewerAndSmallerRingsAndWindows_goesOnWithoutWarmUp(int seed) throws Exception {
        List<Object> input = dense(seed);
        List<Assembled> undisturbed = rowsAfter(RESUMED_MS, resumed(SMALLER, SMALLER, input));

        assertThat(undisturbed).hasSizeGreaterThan(20);
        assertThat(rowsAfter(RESUMED_MS, resumed(VIEW, SMALLER, input))).isEqualTo(undisturbed);
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(
            delimiter = '|',
            value = {"[0, 1, 2, 5, 20] | [1m, 4m]", "[0, 2] | [1m, 2m, 8m]"})
    void resume_largerRingOrWindow_warmsUpAnew(String rings, String sizes) throws Exception {
        FeatureView larger = CityEvents.view(rings, sizes, VIEW);
        List<Object> input = dense(3);
        long warm = RESUMED_MS + larger.windows().largestPanes() * MINUTE;

        List<Object> resumed = resumed(SMALLER, larger, input);

        long firstMs = rowsAfter(RESUMED_MS, resumed).stream()
                .mapToLong(Assembled::windowEndMs)
                .min()
                .orElseThrow();
        assertThat(firstMs).isGreaterThanOrEqualTo(warm);
    }
}
