package io.thalweg.jobs.sink;

import io.thalweg.jobs.WrittenStore;
import io.thalweg.jobs.block.OutputItem;
import io.thalweg.model.Definitions;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.StoreException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

/** Records its calls; blocks until the gate opens. */
final class RecordingStore extends WrittenStore {
    static final FeatureView VIEW =
            Definitions.parse("""
                    apiVersion: thalweg/v1
                    kind: FeatureView
                    name: demand
                    source: {topic: rider-events}
                    entities: [{name: cell, h3: {cell: c, resolution: 9}}]
                    measure: {count: all}
                    rings: [0]
                    windows: {sizes: [1m], every: 1m}
                    """, "demand.yaml").views().get(0);

    final List<String> calls = new CopyOnWriteArrayList<>();
    final CountDownLatch gate = new CountDownLatch(1);
    /** Opens when a write has reached the gate. */
    final CountDownLatch entered = new CountDownLatch(1);

    final AtomicInteger refusals = new AtomicInteger();
    volatile int failAt = Integer.MAX_VALUE;
    volatile Runnable fail = () -> {
        throw new StoreException("no such family");
    };
    volatile long refusedCell;

    static OutputItem rows(int rows) {
        long[] cells = LongStream.rangeClosed(1, rows).toArray();
        return new OutputItem.Rows(
                new HexRowBlock(BlockHead.ofFinal("demand", 0, 60_000), 1, List.of(), cells, new long[rows], null));
    }

    static OutputItem done(int minute) {
        return new OutputItem.Done(new Progress("demand", 0, 1, minute));
    }

    private void refuseIfFull() {
        if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new StoreException(StoreException.Kind.PASSING, "its disk is full", null);
        }
    }

    @Override
    public void write(FeatureView view, List<? extends RowBlock> blocks) {
        int rows = blocks.get(0).rows();
        entered.countDown();
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (blocks.get(0) instanceof HexRowBlock block
                && LongStream.of(block.cells()).anyMatch(cell -> cell == refusedCell)) {
            throw new StoreException(StoreException.Kind.ROWS, "WRONGTYPE", null);
        }
        if (rows == failAt) {
            fail.run();
        }
        refuseIfFull();
        calls.add("rows " + rows);
    }

    @Override
    public void writeProgress(Progress progress) {
        refuseIfFull();
        calls.add("progress " + progress.windowEndMs());
    }

    @Override
    public void flush() {
        refuseIfFull();
        calls.add("flush");
    }
}
