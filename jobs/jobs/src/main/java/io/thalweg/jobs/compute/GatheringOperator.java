package io.thalweg.jobs.compute;

import io.thalweg.jobs.JobPriority;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * An operator that buffers its input. It flushes the buffer at the latest 20 ms after the first element, at a watermark, before a
 * checkpoint barrier and at the end of input. No input is kept across a barrier, so none of it is in the operator's state.
 *
 * <p><b>Threads.</b> The task's thread.
 */
public abstract class GatheringOperator<I, O> extends AbstractStreamOperator<O>
        implements OneInputStreamOperator<I, O>, BoundedOneInput {
    private static final long LINGER_MS = 20;

    private transient boolean lingering;

    @Override
    public void open() throws Exception {
        super.open();
        JobPriority.take();
    }

    /** Buffers an input. */
    protected abstract void gather(I input) throws Exception;

    /** Emits everything buffered. */
    protected abstract void flush();

    @Override
    public final void processElement(StreamRecord<I> element) throws Exception {
        gather(element.getValue());
        if (!lingering) {
            lingering = true;
            ProcessingTimeService time = getProcessingTimeService();
            var unused = time.registerTimer(time.getCurrentProcessingTime() + LINGER_MS, now -> {
                lingering = false;
                flush();
            });
        }
    }

    @Override
    public final void processWatermark(Watermark mark) throws Exception {
        flush();
        super.processWatermark(mark);
    }

    @Override
    public final void prepareSnapshotPreBarrier(long checkpointId) {
        flush();
    }

    @Override
    public final void endInput() {
        flush();
    }
}
