package io.thalweg.bench.micro;

import io.thalweg.kernel.keyed.KeyForm;
import io.thalweg.kernel.keyed.KeyedBlock;
import io.thalweg.kernel.keyed.KeyedMeasure;
import io.thalweg.kernel.keyed.KeyedPanes;
import io.thalweg.kernel.keyed.KeyedSpec;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToLongFunction;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What does it cost to count an event of a key as the number of keys grows, alone and with a sum of doubles, a distinct count of
 * 100 ids a key, and early rows? And to write a key and its count to a snapshot that is discarded? One shard, one pane,
 * keys drawn evenly, blocks of 1,024 events that list each key; all keys exist before. Run:
 * {@code ./thalweg bench micro KeyedPanes}.
 */
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(jvmArgs = {"-Xms3g", "-Xmx3g", "-XX:+UseParallelGC"})
public class KeyedPanesBenchmark {
    private static final int EVENTS = 1024;
    private static final int BLOCKS = 1024;
    /** Two hundred megabytes of state. */
    private static final int WRITTEN_KEYS = 10_000_000;

    /** A shard that counts events. */
    @State(Scope.Benchmark)
    public static class Counted {
        /** The number of keys. */
        @Param({"100", "1000000", "10000000"})
        public int keys = 100;

        /** The kind of view that is measured. */
        @Param({"count", "sum", "distinct", "early"})
        public String measure = "count";

        private KeyedPanes shard = new KeyedPanes(spec("count"), 0);
        private KeyedBlock[] blocks = {};
        private int next;

        /** Draws the blocks and inserts every key once. */
        @Setup
        public void setup() {
            SplittableRandom random = new SplittableRandom(1);
            shard = shard(measure, keys, random);
            blocks = new KeyedBlock[BLOCKS];
            Arrays.setAll(blocks, b -> block(EVENTS, e -> random.nextLong(keys), random));
        }
    }

    /** A shard that is written to a snapshot. */
    @State(Scope.Benchmark)
    public static class Written {
        private final KeyedPanes shard = shard("count", WRITTEN_KEYS, new SplittableRandom(1));
        private final DataOutputStream nowhere = new DataOutputStream(OutputStream.nullOutputStream());
    }

    private static KeyedPanes shard(String measure, int keys, SplittableRandom random) {
        KeyedPanes shard = new KeyedPanes(spec(measure), 0);
        for (long from = 0; from < keys; from += EVENTS) {
            long first = from;
            shard.accumulate(block((int) Math.min(EVENTS, keys - from), e -> first + e, random));
        }
        return shard;
    }

    private static KeyedSpec spec(String measure) {
        KeyedMeasure one = switch (measure) {
            case "sum" -> new KeyedMeasure(KeyedMeasure.Kind.SUM, KeyedMeasure.Input.DOUBLE, 0, 0, 0);
            case "distinct" -> new KeyedMeasure(KeyedMeasure.Kind.COUNT_DISTINCT, KeyedMeasure.Input.INT64, 0, 1, 0);
            default -> new KeyedMeasure(KeyedMeasure.Kind.COUNT, KeyedMeasure.Input.INT64, 0, 0, 0);
        };
        return new KeyedSpec(KeyForm.LONG, List.of(one), 0, List.of(1), 10_000, measure.equals("early"));
    }

    private static KeyedBlock block(int events, IntToLongFunction key, SplittableRandom random) {
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
    public long accumulate(Counted of) {
        of.next = (of.next + 1) % BLOCKS;
        return of.shard.accumulate(of.blocks[of.next]);
    }

    /** One key, as for a checkpoint. */
    @Benchmark
    @OperationsPerInvocation(WRITTEN_KEYS)
    public void snapshot(Written of) throws IOException {
        of.shard.write(of.nowhere);
    }
}
