package io.thalweg.jobs.compute;

import io.thalweg.jobs.block.BlockType;
import io.thalweg.jobs.block.Shards;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.mailbox.Mail;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.jspecify.annotations.Nullable;

/** An operator that is killed and restored between steps. */
final class RestartingOperator<I, O> {
    private final Supplier<ShardWalkOperator<I, O>> make;
    private final KeySelector<I, Integer> key;
    private final BlockType<O> type;
    private final Function<Object, Object> noted;
    private final int period;
    private KeyedOneInputStreamOperatorTestHarness<Integer, I, O> harness;
    private long watermarkMs = Long.MIN_VALUE;
    private long processingMs;
    /** The output, including watermarks; a restart repeats watermarks, but nothing else. */
    final List<Object> output = new ArrayList<>();

    private int steps;
    int restores;

    RestartingOperator(
            Supplier<ShardWalkOperator<I, O>> make,
            KeySelector<I, Integer> key,
            BlockType<O> type,
            Function<Object, Object> noted,
            int phase,
            int period)
            throws Exception {
        this.make = make;
        this.key = key;
        this.type = type;
        this.noted = noted;
        this.steps = phase;
        this.period = period;
        harness = open(null);
    }

    private KeyedOneInputStreamOperatorTestHarness<Integer, I, O> open(@Nullable OperatorSubtaskState state)
            throws Exception {
        ShardWalkOperator<I, O> operator = make.get();
        operator.takeSingleSteps();
        var opened = new KeyedOneInputStreamOperatorTestHarness<>(operator, key, Types.INT, Shards.COUNT, 1, 0);
        opened.setup(type.createSerializer(new SerializerConfigImpl()));
        opened.setProcessingTime(processingMs);
        if (state != null) {
            opened.initializeState(state);
        }
        opened.open();
        return opened;
    }

    void element(I block) throws Exception {
        harness.processElement(new StreamRecord<>(block));
        maybeDie();
    }

    /** Advances processing time. */
    void processingTime(long ms) throws Exception {
        processingMs = ms;
        harness.setProcessingTime(ms);
        maybeDie();
        runMail();
    }

    void watermark(long ms) throws Exception {
        watermarkWithoutTurns(ms);
        runMail();
    }

    /** Processes a watermark; its walk waits for the next turn. */
    void watermarkWithoutTurns(long ms) throws Exception {
        watermarkMs = ms;
        harness.processWatermark(new Watermark(ms));
        maybeDie();
    }

    private void runMail() throws Exception {
        for (Optional<Mail> mail = nextMail(); mail.isPresent(); mail = nextMail()) {
            mail.get().run();
            maybeDie();
        }
    }

    private Optional<Mail> nextMail() {
        return harness.getTaskMailbox().tryTake(0);
    }

    private void maybeDie() throws Exception {
        take();
        if (period != 0 && ++steps % period == 0) {
            die();
        }
    }

    void die() throws Exception {
        OperatorSubtaskState state = snapshot();
        harness.close();
        harness = open(state);
        restores++;
        if (watermarkMs != Long.MIN_VALUE) {
            // As a source that was restored with its clocks does.
            harness.processWatermark(new Watermark(watermarkMs));
        }
    }

    OperatorSubtaskState snapshot() throws Exception {
        harness.prepareSnapshotPreBarrier(1);
        return harness.snapshot(1, 1);
    }

    void end() throws Exception {
        watermark(Watermark.MAX_WATERMARK.getTimestamp());
        harness.endInput();
        take();
    }

    int entries() {
        return harness.numKeyedStateEntries();
    }

    private void take() {
        for (Object out = harness.getOutput().poll();
                out != null;
                out = harness.getOutput().poll()) {
            output.add(out instanceof StreamRecord<?> record ? noted.apply(record.getValue()) : out);
        }
        var afterEnd = harness.getSideOutput(WindowOperator.AFTER_END);
        while (afterEnd != null && !afterEnd.isEmpty()) {
            output.add(noted.apply(afterEnd.remove().getValue()));
        }
    }
}
