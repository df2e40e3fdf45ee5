package io.thalweg.model.row;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.model.Views;
import io.thalweg.model.view.FeatureView;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class WaitingBlocksTest {
    private static final FeatureView DEMAND = Views.demand();
    private static final HexRowCodec CODEC = new HexRowCodec(DEMAND);
    private static final int FEATURES = DEMAND.featureNames().size();

    /** Creates a block as the job does, with only the bits of its sums. */
    private static HexRowBlock packed(Random random, int rows) {
        long[] cells = random.longs(2L * rows, 0, 1 << 26)
                .distinct()
                .limit(rows)
                .sorted()
                .map(place -> 0x892a00000000000L | place << 18 | 0x3FFFF)
                .toArray();
        long[] sums = random.longs((long) cells.length * FEATURES, 0, 1 << random.nextInt(1, 20))
                .toArray();
        List<Object> group = GroupCodecTest.random(DEMAND.group(), random);
        BlockHead head = BlockHead.ofFinal(DEMAND.qualifiedName(), random.nextInt(8), 60_000L * random.nextInt(99));
        HexRowBlock numbers = new HexRowBlock(head, cells[0], group, cells, sums, null);
        return new HexRowBlock(CODEC, numbers.packed(CODEC), head, cells[0], group, cells, null);
    }

    private static byte[] bytes(HexRowBlock block) {
        return CODEC.encodeBlock(block, 7);
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void copy_blocksThatWaitForEachOther_areTheSameWhenTaken(long seed) {
        Random random = new Random(seed);
        WaitingBlocks memory = new WaitingBlocks();
        Deque<byte[]> expected = new ArrayDeque<>();
        Deque<Supplier<HexRowBlock>> waiting = new ArrayDeque<>();
        for (int i = 0; i < 60; i++) {
            HexRowBlock block = packed(random, 1 + random.nextInt(2_000));
            expected.add(bytes(block));
            waiting.add(memory.copy(block));
            for (int taken = random.nextInt(3); taken > 0 && !waiting.isEmpty(); taken--) {
                assertThat(bytes(waiting.remove().get())).isEqualTo(expected.remove());
            }
        }
        while (!waiting.isEmpty()) {
            HexRowBlock block = waiting.remove().get();
            assertThat(bytes(block)).isEqualTo(expected.remove());
            assertThat(block.sums()).hasSize(block.rows() * FEATURES);
        }
    }

    @Test
    void copy_windowEndAfterWindowEnd_takesNoMoreMemory() {
        Random random = new Random(1);
        WaitingBlocks memory = new WaitingBlocks();
        HexRowBlock block = packed(random, 2_000);
        int first = 0;
        for (int windowEnd = 0; windowEnd < 5; windowEnd++) {
            Deque<Supplier<HexRowBlock>> waiting = new ArrayDeque<>();
            for (int i = 0; i < 100; i++) {
                waiting.add(memory.copy(block));
            }
            waiting.forEach(each -> assertThat(each.get().rows()).isEqualTo(block.rows()));
            first = windowEnd == 0 ? memory.chunks() : first;
        }
        assertThat(first).isGreaterThan(2);
        assertThat(memory.chunks()).isEqualTo(first);
    }

    /** Sums as numbers, rows near a pentagon, and more than a chunk. */
    @Test
    void copy_blockThatIsNotOfBitsOnly_isTheBlockItself() {
        Random random = new Random(2);
        WaitingBlocks memory = new WaitingBlocks();
        HexRowBlock large = packed(random, 100_000);
        HexRowBlock numbers = packed(random, 10);
        long[] unused = numbers.sums();
        int[] sizes = new int[10 * DEMAND.rings().size()];
        Arrays.fill(sizes, 1);
        HexRowBlock irregular = new HexRowBlock(
                CODEC, numbers.packed(CODEC), numbers.head(), numbers.tile(), numbers.group(), numbers.cells(), sizes);
        for (HexRowBlock block : List.of(large, numbers, irregular)) {
            assertThat(memory.copy(block).get()).isSameAs(block);
        }
        assertThat(unused).hasSize(10 * FEATURES);
    }

    /** Copies and takes blocks concurrently, like the job and the store's thread. */
    @Test
    void copy_takenByAnotherThread_isTheSame() {
        WaitingBlocks memory = new WaitingBlocks();
        BlockingQueue<Supplier<HexRowBlock>> waiting = new LinkedBlockingQueue<>();
        CompletableFuture<Integer> same = CompletableFuture.supplyAsync(() -> {
            Random random = new Random(3);
            int equal = 0;
            for (int i = 0; i < 500; i++) {
                try {
                    equal += Arrays.equals(bytes(waiting.take().get()), bytes(packed(random, 1_000))) ? 1 : 0;
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            return equal;
        });
        Random random = new Random(3);
        for (int i = 0; i < 500; i++) {
            waiting.add(memory.copy(packed(random, 1_000)));
        }
        assertThat(same.join()).isEqualTo(500);
    }
}
