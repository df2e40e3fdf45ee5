package io.thalweg.tables;

import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.Struct;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.statistics.LongStatistics;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DateLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.EnumLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.IntLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.JsonLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.StringLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimestampLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.UUIDLogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

/**
 * Reads columns of a Parquet file as batches, in the form in which {@link ParquetFileBuilder} writes them.
 *
 * <p><b>Columns.</b> Those with single values at the top level. Times of any unit become microseconds, rounded down.
 *
 * <p><b>Errors.</b> IOException that names the file. <b>Memory.</b> One compressed row group and one batch. <b>Threads.</b> One.
 */
public final class ParquetColumns implements TableColumns {
    private static final int BATCH_ROWS = 4_096;
    private static final long DAY_MICROS = 86_400_000_000L;

    private final Path path;
    private final ParquetFileReader file;
    private final Struct schema;
    private final List<ColumnDescriptor> descriptors;
    private final RowGroupFilter filter;
    private int nextGroup;
    private long left;
    private List<Bound> columns = List.of();

    /** Selects row groups by the range of a column of whole numbers or times. */
    public interface RowGroupFilter {
        /** Reads all row groups. */
        RowGroupFilter ALL = new RowGroupFilter() {
            @Override
            public String column() {
                return "";
            }

            @Override
            public boolean test(long min, long max) {
                return true;
            }
        };

        /** The column; row groups without statistics of it are read. */
        String column();

        /** Whether to read a row group whose values lie in a range, both ends inclusive, in the file's unit. */
        boolean test(long min, long max);
    }

    private interface Copy {
        void copy(ColumnReader from, int slot, ColumnWriter to);
    }

    private record Bound(ColumnReader reader, int level, Copy copy) {
        void read(int slot, ColumnWriter to) {
            if (reader.getCurrentDefinitionLevel() == level) {
                copy.copy(reader, slot, to);
            } else {
                to.absent(slot);
            }
            reader.consume();
        }
    }

    private ParquetColumns(
            Path path,
            ParquetFileReader file,
            Struct schema,
            List<ColumnDescriptor> descriptors,
            RowGroupFilter filter) {
        this.path = path;
        this.file = file;
        this.schema = schema;
        this.descriptors = descriptors;
        this.filter = filter;
    }

    /**
     * Returns the columns of a file, in its order.
     *
     * @throws UnfitTableException if one is a list, a map or a struct, or of an unsupported type; the message names it
     */
    public static Struct schema(Path path) throws IOException {
        try (ParquetFileReader file = ParquetRows.file(path)) {
            MessageType type = file.getFileMetaData().getSchema();
            List<Field> fields = new ArrayList<>();
            for (Type field : type.getFields()) {
                fields.add(field(path, field));
            }
            return new Struct(fields);
        }
    }

    /**
     * Opens columns of a file.
     *
     * @param names of the columns, in the order of the batches
     * @throws UnfitTableException if the file lacks one, or it cannot be read
     */
    public static ParquetColumns open(Path path, List<String> names, RowGroupFilter filter) throws IOException {
        ParquetFileReader file = ParquetRows.file(path);
        try {
            MessageType type = file.getFileMetaData().getSchema();
            List<Field> fields = new ArrayList<>();
            List<ColumnDescriptor> descriptors = new ArrayList<>();
            for (String name : names) {
                if (!type.containsField(name)) {
                    throw new UnfitTableException(List.of("%s has no column %s".formatted(path, name)));
                }
                fields.add(field(path, type.getType(name)));
                descriptors.add(type.getColumnDescription(new String[] {name}));
            }
            file.setRequestedSchema(descriptors);
            return new ParquetColumns(path, file, new Struct(fields), descriptors, filter);
        } catch (RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /**
     * Opens columns of a file as columns of the same types that are optional, unless those of the file are required.
     *
     * @param schema the columns of the batches
     * @throws UnfitTableException if the file lacks one
     */
    static ParquetColumns openAs(Path path, Struct schema) throws IOException {
        ParquetColumns file = open(path, schema.names(), RowGroupFilter.ALL);
        return new ParquetColumns(path, file.file, schema, file.descriptors, RowGroupFilter.ALL);
    }

    @Override
    public Struct schema() {
        return schema;
    }

    @Override
    public @Nullable ColumnBatch next() throws IOException {
        while (left == 0) {
            if (nextGroup == file.getRowGroups().size()) {
                return null;
            }
            open(nextGroup++);
        }
        ColumnWriter batch = new ColumnWriter(schema);
        int rows = (int) Math.min(left, BATCH_ROWS);
        try {
            for (int slot = 0; slot < columns.size(); slot++) {
                Bound column = columns.get(slot);
                for (int row = 0; row < rows; row++) {
                    column.read(slot, batch);
                }
            }
        } catch (RuntimeException e) {
            throw new IOException(path + " cannot be read: the file is damaged", e);
        }
        left -= rows;
        return batch.take(rows);
    }

    private void open(int group) throws IOException {
        BlockMetaData block = file.getRowGroups().get(group);
        if (!isWanted(block)) {
            return;
        }
        MessageType type = file.getFileMetaData().getSchema();
        PageReadStore pages = file.readRowGroup(group);
        ColumnReadStoreImpl store = new ColumnReadStoreImpl(
                pages, new Unconverted(type), type, file.getFileMetaData().getCreatedBy());
        columns = descriptors.stream()
                .map(column -> new Bound(
                        store.getColumnReader(column), column.getMaxDefinitionLevel(), copy(column.getPrimitiveType())))
                .toList();
        left = pages.getRowCount();
    }

    private boolean isWanted(BlockMetaData block) {
        for (ColumnChunkMetaData chunk : block.getColumns()) {
            if (chunk.getPath().toDotString().equals(filter.column())
                    && chunk.getStatistics() instanceof LongStatistics range
                    && range.hasNonNullValue()) {
                return filter.test(range.getMin(), range.getMax());
            }
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    private static Field field(Path path, Type type) {
        Scalar scalar = type.isPrimitive() && !type.isRepetition(Type.Repetition.REPEATED)
                ? scalar(type.asPrimitiveType())
                : null;
        if (scalar == null) {
            throw new UnfitTableException(List.of(
                    "column %s of %s is %s, and only columns of single values are read; leave it out of the file"
                            .formatted(type.getName(), path, type.isPrimitive() ? "of type " + type : "nested")));
        }
        return type.isRepetition(Type.Repetition.REQUIRED)
                ? Field.required(type.getName(), scalar)
                : Field.optional(type.getName(), scalar);
    }

    private static @Nullable Scalar scalar(PrimitiveType type) {
        LogicalTypeAnnotation annotation = type.getLogicalTypeAnnotation();
        if (annotation instanceof DecimalLogicalTypeAnnotation decimal) {
            return new FieldType.Decimal(decimal.getPrecision(), decimal.getScale());
        }
        if (annotation instanceof IntLogicalTypeAnnotation whole && !whole.isSigned()) {
            return whole.getBitWidth() == 64 ? null : FieldType.INT64;
        }
        return switch (type.getPrimitiveTypeName()) {
            case BOOLEAN -> FieldType.BOOL;
            case FLOAT -> FieldType.FLOAT;
            case DOUBLE -> FieldType.DOUBLE;
            case INT96 -> FieldType.TIMESTAMP;
            case INT32 ->
                annotation instanceof DateLogicalTypeAnnotation
                        ? FieldType.DATE
                        : annotation instanceof TimeLogicalTypeAnnotation ? FieldType.TIME : FieldType.INT32;
            case INT64 ->
                annotation instanceof TimestampLogicalTypeAnnotation timestamp
                        ? timestamp.isAdjustedToUTC() ? FieldType.TIMESTAMP : FieldType.LOCAL_TIMESTAMP
                        : annotation instanceof TimeLogicalTypeAnnotation ? FieldType.TIME : FieldType.INT64;
            case BINARY, FIXED_LEN_BYTE_ARRAY -> bytes(annotation);
        };
    }

    private static @Nullable Scalar bytes(@Nullable LogicalTypeAnnotation annotation) {
        if (annotation instanceof StringLogicalTypeAnnotation
                || annotation instanceof EnumLogicalTypeAnnotation
                || annotation instanceof JsonLogicalTypeAnnotation) {
            return FieldType.TEXT;
        }
        if (annotation instanceof UUIDLogicalTypeAnnotation) {
            return FieldType.UUID;
        }
        return annotation == null ? FieldType.BYTES : null;
    }

    private static Copy copy(PrimitiveType type) {
        LogicalTypeAnnotation annotation = type.getLogicalTypeAnnotation();
        boolean decimal = annotation instanceof DecimalLogicalTypeAnnotation;
        return switch (type.getPrimitiveTypeName()) {
            case BOOLEAN -> (from, slot, to) -> to.bool(slot, from.getBoolean());
            case FLOAT -> (from, slot, to) -> to.float64(slot, from.getFloat());
            case DOUBLE -> (from, slot, to) -> to.float64(slot, from.getDouble());
            case INT96 -> (from, slot, to) -> to.int64(slot, ParquetTypes.int96(from.getBinary(), DAY_MICROS));
            case INT32 -> int32(annotation, decimal);
            case INT64 -> int64(annotation, decimal);
            case BINARY, FIXED_LEN_BYTE_ARRAY ->
                (from, slot, to) -> bytes(slot, from.getBinary().getBytesUnsafe(), to);
        };
    }

    private static Copy int32(@Nullable LogicalTypeAnnotation annotation, boolean decimal) {
        if (decimal) {
            return (from, slot, to) -> decimal(slot, from.getInteger(), to);
        }
        if (annotation instanceof TimeLogicalTypeAnnotation) {
            return (from, slot, to) -> to.int64(slot, 1_000L * from.getInteger());
        }
        boolean unsigned = annotation instanceof IntLogicalTypeAnnotation whole && !whole.isSigned();
        return unsigned
                ? (from, slot, to) -> to.int64(slot, Integer.toUnsignedLong(from.getInteger()))
                : (from, slot, to) -> to.int64(slot, from.getInteger());
    }

    private static Copy int64(@Nullable LogicalTypeAnnotation annotation, boolean decimal) {
        if (decimal) {
            return (from, slot, to) -> decimal(slot, from.getLong(), to);
        }
        LogicalTypeAnnotation.@Nullable TimeUnit unit = annotation instanceof TimestampLogicalTypeAnnotation timestamp
                ? timestamp.getUnit()
                : annotation instanceof TimeLogicalTypeAnnotation time ? time.getUnit() : null;
        if (unit == LogicalTypeAnnotation.TimeUnit.MILLIS) {
            return (from, slot, to) -> to.int64(slot, Math.multiplyExact(from.getLong(), 1_000));
        }
        if (unit == LogicalTypeAnnotation.TimeUnit.NANOS) {
            return (from, slot, to) -> to.int64(slot, Math.floorDiv(from.getLong(), 1_000L));
        }
        return (from, slot, to) -> to.int64(slot, from.getLong());
    }

    private static void decimal(int slot, long unscaled, ColumnWriter to) {
        bytes(slot, BigInteger.valueOf(unscaled).toByteArray(), to);
    }

    private static void bytes(int slot, byte[] value, ColumnWriter to) {
        to.bytes(slot, value, 0, value.length);
    }
}
