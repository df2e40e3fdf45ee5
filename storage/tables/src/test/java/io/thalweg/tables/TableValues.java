package io.thalweg.tables;

import io.thalweg.records.RecordWriter;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Bool;
import io.thalweg.records.schema.FieldType.Date;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Real;
import io.thalweg.records.schema.FieldType.Time;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.Struct;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.convert.GroupRecordConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.RecordReader;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;

/**
 * Rows as objects: a struct is a list of the values of its fields, a list a list, a map a list of lists of two; numbers are {@code
 * Long} and {@code Double}, bytes {@code ByteBuffer} (decimals with as few as possible), and what is absent is null.
 */
public final class TableValues {
    private TableValues() {}

    public static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    public static ColumnBatch columns(Struct schema, List<? extends List<?>> rows) {
        ColumnWriter writer = new ColumnWriter(schema);
        for (List<?> row : rows) {
            writer.begin();
            report(schema, 0, row, writer);
            writer.end();
        }
        return writer.take();
    }

    private static void report(Struct struct, int first, List<?> values, RecordWriter writer) {
        int slot = first;
        for (int i = 0; i < values.size(); i++) {
            FieldType type = struct.fields().get(i).type();
            report(type, slot, values.get(i), writer);
            slot += FieldType.slots(type);
        }
    }

    private static void report(FieldType type, int slot, @Nullable Object value, RecordWriter writer) {
        if (value == null) {
            writer.absent(slot);
        } else if (value instanceof Boolean bool) {
            writer.bool(slot, bool);
        } else if (value instanceof Long number) {
            writer.int64(slot, number);
        } else if (value instanceof Double number) {
            writer.float64(slot, number);
        } else if (value instanceof ByteBuffer bytes) {
            writer.bytes(slot, bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
        } else if (type instanceof Struct struct) {
            writer.beginStruct(slot);
            report(struct, slot + 1, (List<?>) value, writer);
            writer.endStruct(slot);
        } else if (type instanceof ListOf list) {
            writer.beginList(slot);
            ((List<?>) value).forEach(element -> report(list.element(), slot + 1, element, writer));
            writer.endList(slot);
        } else {
            MapOf map = (MapOf) type;
            writer.beginMap(slot);
            for (Object entry : (List<?>) value) {
                report(map.key(), slot + 1, ((List<?>) entry).get(0), writer);
                report(map.value(), slot + 2, ((List<?>) entry).get(1), writer);
            }
            writer.endMap(slot);
        }
    }

    /** Reads a file by Parquet's own assembly of records. */
    public static List<List<@Nullable Object>> read(Path file, Struct schema) throws IOException {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        try (ParquetFileReader reader = ParquetRows.file(file)) {
            MessageType type = reader.getFileMetaData().getSchema();
            for (PageReadStore pages = reader.readNextRowGroup(); pages != null; pages = reader.readNextRowGroup()) {
                RecordReader<Group> records =
                        new ColumnIOFactory().getColumnIO(type).getRecordReader(pages, new GroupRecordConverter(type));
                for (long i = 0; i < pages.getRowCount(); i++) {
                    rows.add(struct(schema, records.read()));
                }
            }
        }
        return rows;
    }

    private static List<@Nullable Object> struct(Struct struct, Group group) {
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < struct.fields().size(); i++) {
            Field field = struct.fields().get(i);
            values.add(value(field.type(), group, i));
        }
        return values;
    }

    private static @Nullable Object value(FieldType type, Group group, int field) {
        if (group.getFieldRepetitionCount(field) == 0) {
            return null;
        }
        if (type instanceof Struct struct) {
            return struct(struct, group.getGroup(field, 0));
        }
        if (type instanceof ListOf list) {
            return parts(group.getGroup(field, 0), each -> value(list.element(), each, 0));
        }
        if (type instanceof MapOf map) {
            return parts(group.getGroup(field, 0), each -> {
                List<@Nullable Object> entry = new ArrayList<>();
                entry.add(value(map.key(), each, 0));
                entry.add(value(map.value(), each, 1));
                return entry;
            });
        }
        return scalar(type, group, field);
    }

    /** Of a repeated group. */
    private interface PartOf {
        @Nullable
        Object of(Group each);
    }

    private static List<@Nullable Object> parts(Group group, PartOf part) {
        List<@Nullable Object> parts = new ArrayList<>();
        for (int i = 0; i < group.getFieldRepetitionCount(0); i++) {
            parts.add(part.of(group.getGroup(0, i)));
        }
        return parts;
    }

    private static Object scalar(FieldType type, Group group, int field) {
        if (type instanceof Bool) {
            return group.getBoolean(field, 0);
        }
        if (type instanceof Real real) {
            return real.bits() == 32 ? (double) group.getFloat(field, 0) : group.getDouble(field, 0);
        }
        if (type instanceof Date || (type instanceof Int integer && integer.bits() < 64)) {
            return (long) group.getInteger(field, 0);
        }
        if (type instanceof Int || type instanceof Time || type instanceof Timestamp) {
            return group.getLong(field, 0);
        }
        byte[] bytes = group.getBinary(field, 0).getBytes();
        return ByteBuffer.wrap(type instanceof Decimal ? new BigInteger(bytes).toByteArray() : bytes);
    }
}
