package io.thalweg.cli.run;

import io.thalweg.records.row.Output;
import io.thalweg.records.row.Row;
import io.thalweg.records.row.RowFunction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A function that is slow in the way that a file currently names. */
public final class Ill implements RowFunction {
    private static final int KEPT = 50_000;
    private static final int ALLOCATED = 500;
    private static final int REPLACED = 20;
    private static final int STEPS = 400_000;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final byte[][] kept = new byte[KEPT][];
    private Path file = Path.of("illness");
    private String illness = "";
    private long lookedNanos = System.nanoTime() - LOOK_NANOS;
    private int next;

    @SuppressWarnings("UnusedVariable") // so that the loop is not optimized away
    private long sum;

    @Override
    public void open(Map<String, String> config) {
        file = Path.of(config.getOrDefault("file", "illness"));
    }

    @Override
    public void apply(Row ride, Output out) throws IOException, InterruptedException {
        if (System.nanoTime() - lookedNanos >= LOOK_NANOS) {
            lookedNanos = System.nanoTime();
            illness = Files.readString(file);
        }
        switch (illness) {
            case "waits" -> Thread.sleep(2);
            case "computes" -> compute();
            case "keeps" -> allocate(REPLACED);
            case "allocates" -> allocate(ALLOCATED);
            default -> {}
        }
        out.emit(ride);
    }

    private void compute() {
        for (int i = 0; i < STEPS; i++) {
            sum = sum * 31 + i;
        }
    }

    /** Allocates objects that live long enough to be copied by each collection. */
    private void allocate(int objects) {
        for (int i = 0; i < objects; i++) {
            kept[next++ % KEPT] = new byte[4_096];
        }
    }
}
