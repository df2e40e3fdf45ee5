package io.thalweg.jobs.file;

import io.thalweg.jobs.StateVersionException;
import java.nio.ByteBuffer;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** Serializes a value as a single long. */
record OneLong<T>(ToLongFunction<T> to, LongFunction<T> from) implements SimpleVersionedSerializer<T> {
    /** Version 1 was a byte. */
    private static final int VERSION = 2;

    @Override
    public int getVersion() {
        return VERSION;
    }

    @Override
    public byte[] serialize(T value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(to.applyAsLong(value)).array();
    }

    @Override
    public T deserialize(int version, byte[] serialized) throws StateVersionException {
        StateVersionException.check("files", version, VERSION);
        return from.apply(ByteBuffer.wrap(serialized).getLong());
    }
}
