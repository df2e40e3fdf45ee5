package io.thalweg.jobs.pubsub;

import io.thalweg.jobs.StateVersionException;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.jspecify.annotations.Nullable;

/** Assigns each reader its share of the streams, also after the reader restarts. It is stateless. */
final class StreamEnumerator implements SplitEnumerator<PullSplit, StreamEnumerator.Nothing> {
    private final SplitEnumeratorContext<PullSplit> context;
    private final int streams;

    /**
     * Creates an enumerator.
     *
     * @param streams the total number of streams; each reader has at least one
     */
    StreamEnumerator(SplitEnumeratorContext<PullSplit> context, int streams) {
        this.context = context;
        this.streams = Math.max(streams, context.currentParallelism());
    }

    /** The empty state. */
    record Nothing() {
        static final SimpleVersionedSerializer<Nothing> SERIALIZER = new SimpleVersionedSerializer<>() {
            @Override
            public int getVersion() {
                return 1;
            }

            @Override
            public byte[] serialize(Nothing nothing) {
                return new byte[0];
            }

            @Override
            public Nothing deserialize(int version, byte[] serialized) throws StateVersionException {
                StateVersionException.check("streams of subscriptions", version, getVersion());
                return new Nothing();
            }
        };
    }

    @Override
    public void start() {
        // Streams are assigned when readers register.
    }

    @Override
    public void addReader(int subtask) {
        List<PullSplit> share = IntStream.range(0, streams)
                .filter(stream -> stream % context.currentParallelism() == subtask)
                .mapToObj(PullSplit::stream)
                .toList();
        context.assignSplits(new SplitsAssignment<>(java.util.Map.of(subtask, share)));
    }

    @Override
    public void handleSplitRequest(int subtask, @Nullable String requesterHostname) {
        // Readers do not request splits.
    }

    @Override
    public void addSplitsBack(List<PullSplit> splits, int subtask) {
        // The reader gets its share again when it registers.
    }

    @Override
    public Nothing snapshotState(long checkpointId) {
        return new Nothing();
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
