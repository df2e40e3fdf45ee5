package io.thalweg.jobs.block;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * The type of elements passed by reference between operators of a chain. They never cross the network or enter a snapshot; an attempt to
 * serialize one fails.
 */
public final class Chained<T> extends BlockSerializer<T> {
    /** The Flink type of {@code type}, for edges that are always chained. */
    public static <T> BlockType<T> type(Class<T> type) {
        return new BlockType<>(type, new Chained<>());
    }

    @Override
    protected void write(T value, DataOutputView out) throws IOException {
        throw notChained();
    }

    @Override
    protected T read(DataInputView in) throws IOException {
        throw notChained();
    }

    @Override
    public TypeSerializerSnapshot<T> snapshotConfiguration() {
        throw notChained();
    }

    private static IllegalStateException notChained() {
        return new IllegalStateException("this edge must be chained; is pipeline.operator-chaining switched off?");
    }
}
