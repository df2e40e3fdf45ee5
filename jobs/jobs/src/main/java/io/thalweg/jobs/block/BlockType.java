package io.thalweg.jobs.block;

import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** The Flink type of a block: a class and its one serializer. */
public final class BlockType<T> extends TypeInformation<T> {
    private final Class<T> type;
    private final BlockSerializer<T> serializer;

    public BlockType(Class<T> type, BlockSerializer<T> serializer) {
        this.type = type;
        this.serializer = serializer;
    }

    @Override
    public TypeSerializer<T> createSerializer(SerializerConfig config) {
        return serializer;
    }

    @Override
    public boolean isBasicType() {
        return false;
    }

    @Override
    public boolean isTupleType() {
        return false;
    }

    @Override
    public int getArity() {
        return 1;
    }

    @Override
    public int getTotalFields() {
        return 1;
    }

    @Override
    public Class<T> getTypeClass() {
        return type;
    }

    @Override
    public boolean isKeyType() {
        return false;
    }

    @Override
    public String toString() {
        return type.getSimpleName();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof BlockType<?> that && type == that.type && serializer.equals(that.serializer);
    }

    @Override
    public int hashCode() {
        return type.hashCode();
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof BlockType;
    }
}
