package io.thalweg.jobs.lane;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** Counts as four numbers. */
final class LaneCountsSerializer implements SimpleVersionedSerializer<LaneCounts> {
    private static final int VERSION = 1;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(LaneCounts counts) {
        return ByteBuffer.allocate(4 * Long.BYTES)
                .putLong(counts.written())
                .putLong(counts.refused())
                .putLong(counts.bytes())
                .putLong(counts.retries())
                .array();
    }

    @Override
    public LaneCounts deserialize(int version, byte[] bytes) throws IOException {
        if (version != VERSION) {
            throw new IOException("counts of lanes have version %d; this is %d".formatted(version, VERSION));
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        return new LaneCounts(in.getLong(), in.getLong(), in.getLong(), in.getLong());
    }
}
