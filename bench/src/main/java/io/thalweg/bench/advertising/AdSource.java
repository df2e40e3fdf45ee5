package io.thalweg.bench.advertising;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Draws events inside the job, a batch at each turn: every reader each {@code parallelism}-th event. A watermark follows the
 * batch in which a window ends.
 */
final class AdSource<L extends Feed, T> implements Source<T, AdSource.Part, Integer> {
    private static final int BATCH = 4_096;

    /** Turns events into what the job takes. */
    interface Emitter<L, T> {
        /** Emits so many events of a load, {@code step} apart. */
        void emit(L load, long first, int count, int step, ReaderOutput<T> output);
    }

    /** Makes an emitter for each reader. */
    interface EmitterFactory<L, T> extends Serializable {
        Emitter<L, T> create();
    }

    private final L load;
    private final int parallelism;
    private final EmitterFactory<L, T> emitters;

    AdSource(L load, int parallelism, EmitterFactory<L, T> emitters) {
        this.load = load;
        this.parallelism = parallelism;
        this.emitters = emitters;
    }

    /** The events that one reader has not drawn yet. */
    record Part(int reader, long next) implements SourceSplit {
        @Override
        public String splitId() {
            return String.valueOf(reader);
        }
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.CONTINUOUS_UNBOUNDED; // with checkpoints and all that a stream costs
    }

    @Override
    public SourceReader<T, Part> createReader(SourceReaderContext context) {
        return new Reader(context, emitters.create());
    }

    @Override
    public SplitEnumerator<Part, Integer> createEnumerator(SplitEnumeratorContext<Part> context) {
        return new Enumerator(context);
    }

    @Override
    public SplitEnumerator<Part, Integer> restoreEnumerator(SplitEnumeratorContext<Part> context, Integer checkpoint) {
        return new Enumerator(context);
    }

    @Override
    public SimpleVersionedSerializer<Part> getSplitSerializer() {
        return new PartSerializer();
    }

    @Override
    public SimpleVersionedSerializer<Integer> getEnumeratorCheckpointSerializer() {
        return new NothingSerializer();
    }

    private final class Reader implements SourceReader<T, Part> {
        private final SourceReaderContext context;
        private final Emitter<L, T> emitter;
        private final CompletableFuture<Void> assigned = new CompletableFuture<>();
        private CompletableFuture<Void> available = assigned;
        private @Nullable Part part;
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
            if (part == null) {
                return InputStatus.NOTHING_AVAILABLE;
            }
            CompletableFuture<Void> more = load.more(); // before the limit, lest a raise be missed
            long left = (load.limit() - part.next() + parallelism - 1) / parallelism;
            int count = (int) Math.min(BATCH, Math.max(0, left));
            if (count == 0) {
                if (more == null) {
                    return InputStatus.END_OF_INPUT;
                }
                available = more;
                emitWatermark(part.next(), output);
                return InputStatus.NOTHING_AVAILABLE;
            }
            emitter.emit(load, part.next(), count, parallelism, output);
            long next = part.next() + (long) count * parallelism;
            load.reached(part.reader(), part.next(), count, next);
            part = new Part(part.reader(), next);
            emitWatermark(next, output);
            return InputStatus.MORE_AVAILABLE;
        }

        private void emitWatermark(long next, ReaderOutput<T> output) {
            long ms = load.watermarkMs(next);
            if (ms > watermarkMs) {
                watermarkMs = ms;
                output.emitWatermark(new Watermark(ms));
            }
        }

        @Override
        public List<Part> snapshotState(long checkpointId) {
            return part == null ? List.of() : List.of(part);
        }

        @Override
        public CompletableFuture<Void> isAvailable() {
            return available;
        }

        @Override
        public void addSplits(List<Part> splits) {
            part = splits.get(0);
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

    private static final class Enumerator implements SplitEnumerator<Part, Integer> {
        private final SplitEnumeratorContext<Part> context;
        private final List<Part> back = new ArrayList<>();

        Enumerator(SplitEnumeratorContext<Part> context) {
            this.context = context;
        }

        @Override
        public void start() {
            // Readers ask.
        }

        @Override
        public void handleSplitRequest(int reader, @Nullable String host) {
            context.assignSplit(back.isEmpty() ? new Part(reader, reader) : back.remove(0), reader);
        }

        @Override
        public void addSplitsBack(List<Part> splits, int reader) {
            back.addAll(splits);
        }

        @Override
        public void addReader(int reader) {
            // It asks.
        }

        @Override
        public Integer snapshotState(long checkpointId) {
            return 0;
        }

        @Override
        public void close() {
            // Holds nothing.
        }
    }

    private static final class PartSerializer implements SimpleVersionedSerializer<Part> {
        @Override
        public int getVersion() {
            return 1;
        }

        @Override
        public byte[] serialize(Part part) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            out.writeInt(part.reader());
            out.writeLong(part.next());
            return bytes.toByteArray();
        }

        @Override
        public Part deserialize(int version, byte[] serialized) throws IOException {
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(serialized));
            return new Part(in.readInt(), in.readLong());
        }
    }

    private static final class NothingSerializer implements SimpleVersionedSerializer<Integer> {
        @Override
        public int getVersion() {
            return 1;
        }

        @Override
        public byte[] serialize(Integer nothing) {
            return new byte[0];
        }

        @Override
        public Integer deserialize(int version, byte[] serialized) {
            return 0;
        }
    }
}
