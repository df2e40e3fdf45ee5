package io.thalweg.jobs.file;

import java.util.function.Function;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** Serializes what a byte can say. */
record OneByte<T>(Function<T, Byte> to, Function<Byte, T> from) implements SimpleVersionedSerializer<T> {
    @Override
    public int getVersion() {
        return 1;
    }

    @Override
    public byte[] serialize(T value) {
        return new byte[] {to.apply(value)};
    }

    @Override
    public T deserialize(int version, byte[] serialized) {
        return from.apply(serialized[0]);
    }
}
