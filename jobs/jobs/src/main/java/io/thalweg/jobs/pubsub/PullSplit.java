package io.thalweg.jobs.pubsub;

import io.thalweg.jobs.StateVersionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * A stream of a subscription or, in checkpoints, the quiet time of a reader's streams. A stream has no position, because the service
 * tracks unacknowledged messages.
 *
 * @param number from 0; {@value #NO_STREAM} in checkpoints
 * @param quietMs in checkpoints, how long nothing was delivered; see {@link PullReader}
 */
record PullSplit(int number, long quietMs) implements SourceSplit {
    private static final int NO_STREAM = -1;
    private static final int VERSION = 2;

    static PullSplit stream(int number) {
        return new PullSplit(number, 0);
    }

    static PullSplit quiet(long ms) {
        return new PullSplit(NO_STREAM, ms);
    }

    boolean isStream() {
        return number != NO_STREAM;
    }

    @Override
    public String splitId() {
        return String.valueOf(number);
    }

    /** Serializes splits for readers and for checkpoints. */
    static final class Serializer implements SimpleVersionedSerializer<PullSplit> {
        @Override
        public int getVersion() {
            return VERSION;
        }

        @Override
        public byte[] serialize(PullSplit split) {
            return ByteBuffer.allocate(Integer.BYTES + Long.BYTES)
                    .putInt(split.number())
                    .putLong(split.quietMs())
                    .array();
        }

        @Override
        public PullSplit deserialize(int version, byte[] serialized) throws IOException {
            StateVersionException.check("streams of subscriptions", version, VERSION);
            ByteBuffer split = ByteBuffer.wrap(serialized);
            return new PullSplit(split.getInt(), split.getLong());
        }
    }
}
