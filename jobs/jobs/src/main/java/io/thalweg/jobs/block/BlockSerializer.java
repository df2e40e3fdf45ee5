package io.thalweg.jobs.block;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The base of all serializers of blocks and states, with one way to write and one way to read. A block is immutable once it is passed
 * on, so a copy is the block itself; mutable state overrides {@link #copy(Object)}.
 *
 * <p><b>Threads.</b> Stateless.
 */
public abstract class BlockSerializer<T> extends TypeSerializerSingleton<T> {
    protected abstract void write(T value, DataOutputView out) throws IOException;

    protected abstract T read(DataInputView in) throws IOException;

    @Override
    public boolean isImmutableType() {
        return false;
    }

    @Override
    public T createInstance() {
        throw new IllegalStateException(getClass().getName() + " makes no empty instance");
    }

    @Override
    public T copy(T from) {
        return from;
    }

    @Override
    public final T copy(T from, T reuse) {
        return copy(from);
    }

    @Override
    public final int getLength() {
        return -1;
    }

    @Override
    public final void serialize(T value, DataOutputView target) throws IOException {
        write(value, target);
    }

    @Override
    public final T deserialize(DataInputView source) throws IOException {
        return read(source);
    }

    @Override
    public final T deserialize(T reuse, DataInputView source) throws IOException {
        return read(source);
    }

    @Override
    public final void copy(DataInputView source, DataOutputView target) throws IOException {
        write(read(source), target);
    }
}
