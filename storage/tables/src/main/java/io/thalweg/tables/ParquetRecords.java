package io.thalweg.tables;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Bool;
import io.thalweg.records.schema.FieldType.Bytes;
import io.thalweg.records.schema.FieldType.Date;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Real;
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.FieldType.Time;
import io.thalweg.records.schema.FieldType.Timestamp;
import io.thalweg.records.schema.FieldType.Uuid;
import io.thalweg.records.schema.Struct;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.convert.GroupRecordConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.RecordReader;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;

/**
 * Reads whole rows of a Parquet file that Thalweg has written. It is meant for checks of few rows: a row is a few dozen objects.
 *
 * <p><b>Values.</b> {@code Boolean}; {@code Long}; {@code Float} or {@code Double}; {@code String} (for bytes, their base64);
 * {@code UUID}; {@code BigDecimal}; {@code LocalDate}, {@code LocalTime}, {@code Instant}, {@code LocalDateTime}; {@code List};
 * {@code Map}, for structs in the order of the schema; null.
 */
public final class ParquetRecords {
    private ParquetRecords() {}

    /**
     * Returns all rows of a file.
     *
     * @param schema of the rows, with which the file was written
     * @throws IOException if it is not a Parquet file, or is truncated; the message names it
     */
    public static List<Map<String, @Nullable Object>> read(Path file, Struct schema) throws IOException {
        List<Map<String, @Nullable Object>> rows = new ArrayList<>();
        try (ParquetFileReader reader = ParquetRows.file(file)) {
            MessageType type = reader.getFileMetaData().getSchema();
            for (PageReadStore pages = reader.readNextRowGroup(); pages != null; pages = reader.readNextRowGroup()) {
                RecordReader<Group> records =
                        new ColumnIOFactory().getColumnIO(type).getRecordReader(pages, new GroupRecordConverter(type));
                for (long row = 0; row < pages.getRowCount(); row++) {
                    rows.add(struct(schema, records.read()));
                }
            }
        }
        return rows;
    }

    private static Map<String, @Nullable Object> struct(Struct type, Group group) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (int i = 0; i < type.fields().size(); i++) {
            Field field = type.fields().get(i);
            values.put(field.name(), optional(field.type(), group, i));
        }
        return values;
    }

    private static @Nullable Object optional(FieldType type, Group group, int field) {
        return group.getFieldRepetitionCount(field) == 0 ? null : value(type, group, field);
    }

    private static Object value(FieldType type, Group group, int field) {
        if (type instanceof Struct struct) {
            return struct(struct, group.getGroup(field, 0));
        }
        if (type instanceof ListOf list) {
            Group entries = group.getGroup(field, 0);
            List<@Nullable Object> elements = new ArrayList<>();
            for (int i = 0; i < entries.getFieldRepetitionCount(0); i++) {
                elements.add(optional(list.element(), entries.getGroup(0, i), 0));
            }
            return elements;
        }
        if (type instanceof MapOf map) {
            Group entries = group.getGroup(field, 0);
            Map<Object, @Nullable Object> values = new LinkedHashMap<>();
            for (int i = 0; i < entries.getFieldRepetitionCount(0); i++) {
                Group entry = entries.getGroup(0, i);
                values.put(value(map.key(), entry, 0), optional(map.value(), entry, 1));
            }
            return values;
        }
        return scalar((Scalar) type, group, field);
    }

    private static Object scalar(Scalar type, Group group, int field) {
        if (type instanceof Bool) {
            return group.getBoolean(field, 0);
        }
        if (type instanceof Int integer) {
            return integer.bits() == 64 ? (Long) group.getLong(field, 0) : (Long) (long) group.getInteger(field, 0);
        }
        if (type instanceof Real real) {
            return real.bits() == 32 ? (Object) group.getFloat(field, 0) : (Object) group.getDouble(field, 0);
        }
        if (type instanceof Date) {
            return LocalDate.ofEpochDay(group.getInteger(field, 0));
        }
        if (type instanceof Time) {
            return LocalTime.ofNanoOfDay(1_000 * group.getLong(field, 0));
        }
        if (type instanceof Timestamp timestamp) {
            Instant instant = Instant.EPOCH.plus(group.getLong(field, 0), ChronoUnit.MICROS);
            return timestamp.utc() ? instant : LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
        }
        byte[] bytes = group.getBinary(field, 0).getBytes();
        if (type instanceof Bytes) {
            return Base64.getEncoder().encodeToString(bytes);
        }
        if (type instanceof Uuid) {
            ByteBuffer halves = ByteBuffer.wrap(bytes);
            return new UUID(halves.getLong(), halves.getLong());
        }
        return type instanceof Decimal decimal
                ? new BigDecimal(new BigInteger(bytes), decimal.scale())
                : group.getBinary(field, 0).toStringUsingUTF8();
    }
}
