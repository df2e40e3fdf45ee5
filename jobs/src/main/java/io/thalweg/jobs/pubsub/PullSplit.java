package io.thalweg.jobs.pubsub;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * A stream of a subscription. It has no position: the service knows what is not acknowledged.
 *
 * @param number from 0
 */
record PullSplit(int number) implements SourceSplit {
    private static final int VERSION = 1;

    @Override
    public String splitId() {
        return String.valueOf(number);
    }

    /** Splits on their way to readers; checkpoints hold none. */
    static final class Serializer implements SimpleVersionedSerializer<PullSplit> {
        @Override
        public int getVersion() {
            return VERSION;
        }

        @Override
        public byte[] serialize(PullSplit split) {
            return ByteBuffer.allocate(Integer.BYTES).putInt(split.number()).array();
        }

        @Override
        public PullSplit deserialize(int version, byte[] serialized) throws IOException {
            if (version != VERSION) {
                throw new IOException("splits of subscriptions have version " + VERSION + ", was " + version);
            }
            return new PullSplit(ByteBuffer.wrap(serialized).getInt());
        }
    }
}
