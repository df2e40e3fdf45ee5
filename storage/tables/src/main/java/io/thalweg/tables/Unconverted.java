package io.thalweg.tables;

import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.Type;

/** Lets Parquet read columns without assembling records: values are taken from the columns themselves. */
final class Unconverted extends GroupConverter {
    private static final PrimitiveConverter LEAF = new PrimitiveConverter() {};

    private final GroupType type;

    Unconverted(GroupType type) {
        this.type = type;
    }

    @Override
    public Converter getConverter(int field) {
        Type child = type.getType(field);
        return child.isPrimitive() ? LEAF : new Unconverted(child.asGroupType());
    }

    @Override
    public void start() {
        // No record is made.
    }

    @Override
    public void end() {
        // No record is made.
    }
}
