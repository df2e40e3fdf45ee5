package io.thalweg.bench.micro;

import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.kernel.keyed.KeyedBlock;
import io.thalweg.kernel.keyed.KeyedMeasure;
import io.thalweg.kernel.keyed.KeyedPanes;
import io.thalweg.kernel.keyed.KeyedSpec;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What does it cost to count an event of a key, as the number of keys grows, alone and with a sum of doubles, a distinct count
 * of 100 ids a key, and early rows? One shard, one pane, keys drawn evenly, blocks of 1,024 events that list each key; all
 * keys are there before. Run: {@code ./thalweg bench micro KeyedPanes}.
 */
@State(Scope.Benchmark)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(jvmArgs = {"-Xms3g", "-Xmx3g", "-XX:+UseParallelGC"})
public class KeyedPanesBenchmark {
    private static final int EVENTS = 1024;
    private static final int BLOCKS = 1024;

    /** How many keys there are. */
    @Param({"100", "100000", "1000000", "10000000"})
    public int keys = 100;

    /** What is measured. */
    @Param({"count", "sum", "distinct", "early"})
    public String measure = "count";

    private KeyedPanes shard = new KeyedPanes(spec("count"), 0);
    private KeyedBlock[] blocks = {};
    private int next;

    private static KeyedSpec spec(String measure) {
        KeyedMeasure one = switch (measure) {
            case "sum" -> new KeyedMeasure(KeyedMeasure.Kind.SUM, KeyedMeasure.Input.DOUBLE, 0, 0, 0);
            case "distinct" -> new KeyedMeasure(KeyedMeasure.Kind.COUNT_DISTINCT, KeyedMeasure.Input.INT64, 0, 1, 0);
            default -> new KeyedMeasure(KeyedMeasure.Kind.COUNT, KeyedMeasure.Input.INT64, 0, 0, 0);
        };
        return new KeyedSpec(KeyForm.LONG, List.of(one), 0, List.of(1), 10_000, measure.equals("early"));
    }

    /** Draws the blocks, and meets every key once. */
    @Setup
    public void setup() {
        shard = new KeyedPanes(spec(measure), 0);
        SplittableRandom random = new SplittableRandom(1);
        for (long from = 0; from < keys; from += EVENTS) {
            long first = from;
            shard.accumulate(block((int) Math.min(EVENTS, keys - from), e -> first + e, random));
        }
        blocks = new KeyedBlock[BLOCKS];
        for (int b = 0; b < BLOCKS; b++) {
            blocks[b] = block(EVENTS, e -> random.nextLong(keys), random);
        }
    }

    private static KeyedBlock block(int events, java.util.function.IntToLongFunction key, SplittableRandom random) {
        long[] low = new long[events];
        long[][] inputs = new long[2][events];
        for (int e = 0; e < events; e++) {
            low[e] = key.applyAsLong(e);
            inputs[0][e] = Double.doubleToRawLongBits(random.nextInt(10_000) / 100.0);
            inputs[1][e] = random.nextInt(100);
        }
        return new KeyedBlock(null, low, null, null, new long[events], null, inputs);
    }

    /** One event. */
    @Benchmark
    @OperationsPerInvocation(EVENTS)
    public long accumulate() {
        next = (next + 1) % BLOCKS;
        return shard.accumulate(blocks[next]);
    }
}
