package io.thalweg.bench.advertising;

import java.io.Serializable;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource.NumberSequenceSplit;
import org.apache.flink.api.connector.source.lib.util.IteratorSourceEnumerator;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.util.function.SerializableSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Draws events inside the job, one batch per turn; each reader draws every {@code parallelism}-th event. A watermark follows the
 * batch in which a window ends.
 */
final class AdSource<L extends AdSource.Feed, T>
        implements Source<T, NumberSequenceSplit, Collection<NumberSequenceSplit>> {
    private static final int BATCH = 4_096;

    /** Converts events to the input of the job. */
    interface Emitter<L, T> {
        /** Emits {@code count} events of a load, {@code step} apart. */
        void emit(L load, long first, int count, int step, ReaderOutput<T> output);
    }

    private final L load;
    private final int parallelism;
    private final SerializableSupplier<Emitter<L, T>> emitters;

    /** Creates a source; {@code emitters} creates one emitter per reader. */
    AdSource(L load, int parallelism, SerializableSupplier<Emitter<L, T>> emitters) {
        this.load = load;
        this.parallelism = parallelism;
        this.emitters = emitters;
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.CONTINUOUS_UNBOUNDED; // an unbounded stream, with checkpoints and all other costs of one
    }

    @Override
    public SourceReader<T, NumberSequenceSplit> createReader(SourceReaderContext context) {
        return new Reader(context, emitters.get());
    }

    /** Assigns each reader the events that it has not drawn yet. */
    @Override
    public SplitEnumerator<NumberSequenceSplit, Collection<NumberSequenceSplit>> createEnumerator(
            SplitEnumeratorContext<NumberSequenceSplit> context) {
        return restoreEnumerator(
                context,
                IntStream.range(0, parallelism)
                        .mapToObj(reader -> new NumberSequenceSplit(Integer.toString(reader), reader, Long.MAX_VALUE))
                        .toList());
    }

    @Override
    public SplitEnumerator<NumberSequenceSplit, Collection<NumberSequenceSplit>> restoreEnumerator(
            SplitEnumeratorContext<NumberSequenceSplit> context, Collection<NumberSequenceSplit> checkpoint) {
        return new IteratorSourceEnumerator<>(context, checkpoint);
    }

    @Override
    public SimpleVersionedSerializer<NumberSequenceSplit> getSplitSerializer() {
        return new NumberSequenceSource(0, 1).getSplitSerializer();
    }

    @Override
    public SimpleVersionedSerializer<Collection<NumberSequenceSplit>> getEnumeratorCheckpointSerializer() {
        return new NumberSequenceSource(0, 1).getEnumeratorCheckpointSerializer();
    }

    private final class Reader implements SourceReader<T, NumberSequenceSplit> {
        private final SourceReaderContext context;
        private final Emitter<L, T> emitter;
        private final CompletableFuture<Void> assigned = new CompletableFuture<>();
        private CompletableFuture<Void> available = assigned;
        private int reader = -1;
        private long next;
        private long watermarkMs = Long.MIN_VALUE;

        Reader(SourceReaderContext context, Emitter<L, T> emitter) {
            this.context = context;
            this.emitter = emitter;
        }

        @Override
        public void start() {
            context.sendSplitRequest();
        }

        @Override
        public InputStatus pollNext(ReaderOutput<T> output) {
            if (reader < 0) {
                return InputStatus.NOTHING_AVAILABLE;
            }
            CompletableFuture<Void> more = load.more(); // before the limit, so that a raise is not missed
            long left = (load.limit() - next + parallelism - 1) / parallelism;
            int count = (int) Math.min(BATCH, Math.max(0, left));
            if (count == 0) {
                if (more == null) {
                    return InputStatus.END_OF_INPUT;
                }
                available = more;
                emitWatermark(output);
                return InputStatus.NOTHING_AVAILABLE;
            }
            emitter.emit(load, next, count, parallelism, output);
            next += (long) count * parallelism;
            load.countDrawn(reader, count);
            emitWatermark(output);
            return InputStatus.MORE_AVAILABLE;
        }

        private void emitWatermark(ReaderOutput<T> output) {
            long ms = load.watermarkMs(next);
            if (ms > watermarkMs) {
                watermarkMs = ms;
                output.emitWatermark(new Watermark(ms));
            }
        }

        @Override
        public List<NumberSequenceSplit> snapshotState(long checkpointId) {
            return reader < 0
                    ? List.of()
                    : List.of(new NumberSequenceSplit(Integer.toString(reader), next, Long.MAX_VALUE));
        }

        @Override
        public CompletableFuture<Void> isAvailable() {
            return available;
        }

        @Override
        public void addSplits(List<NumberSequenceSplit> splits) {
            reader = Integer.parseInt(splits.get(0).splitId());
            next = splits.get(0).from();
            assigned.complete(null);
        }

        @Override
        public void notifyNoMoreSplits() {
            // One each.
        }

        @Override
        public void close() {
            // Holds nothing.
        }
    }

    /** The events that an {@link AdSource} draws: each follows from its number. A feed determines how many may be drawn, and their time. */
    interface Feed extends Serializable {
        /** How many events may be drawn by now. */
        long limit();

        /** Completes when {@link #limit} may have risen since this call; null if all events are available. */
        @Nullable
        CompletableFuture<Void> more();

        /** Returns the watermark of a reader whose next event is this; it rises only where a window ends. */
        long watermarkMs(long next);

        /** Records that a reader has drawn more events. */
        default void countDrawn(int reader, int count) {}
    }
}
