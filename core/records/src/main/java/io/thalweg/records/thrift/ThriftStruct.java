package io.thalweg.records.thrift;

import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A struct, union or exception with its types resolved.
 *
 * @param name without the prefix of its file
 * @param union whether a message has at most one of the fields
 */
record ThriftStruct(String name, boolean union, List<ThriftField> fields) implements Serializable {
    /**
     * A field.
     *
     * @param absent as in {@link io.thalweg.records.schema.Field}
     */
    record ThriftField(
            int id,
            String name,
            ThriftType type,
            boolean required,
            @Nullable Object absent) implements Serializable {}
}
