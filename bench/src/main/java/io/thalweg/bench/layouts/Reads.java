package io.thalweg.bench.layouts;

import io.thalweg.bench.harness.Figures;
import java.io.IOException;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;

/**
 * Reads of any keys, one after the other: a closed loop with one client, so that a latency is that of a read by itself, without
 * a queue before it.
 *
 * @param cells answers any cell that was written
 * @param seconds for how long each kind of read is measured, after a fifth of it
 */
record Reads(LongSupplier cells, double seconds) {
    private static final int[] KEYS = {1, 100};

    /** What they took. */
    Map<String, Number> of(Layout layout) throws IOException {
        Figures figures = new Figures();
        for (int keys : KEYS) {
            Histogram unused = nanos(layout, keys, seconds / 5);
            Histogram nanos = nanos(layout, keys, seconds);
            figures.put("reads_of_" + keys, nanos.getTotalCount()).latencies("read_" + keys, nanos);
        }
        return figures.asMap();
    }

    private Histogram nanos(Layout layout, int keys, double forSeconds) throws IOException {
        Histogram nanos = new Histogram(3);
        long end = System.nanoTime() + (long) (forSeconds * 1e9);
        do {
            long[] asked = LongStream.generate(cells).limit(keys).toArray();
            long begin = System.nanoTime();
            int found = layout.read(asked).size();
            nanos.recordValue(System.nanoTime() - begin);
            if (found != keys) {
                throw new IllegalStateException(found + " rows were answered to " + keys + " keys");
            }
        } while (System.nanoTime() - end < 0);
        return nanos;
    }
}
