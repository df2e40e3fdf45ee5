package io.thalweg.formats;

import io.thalweg.model.FieldPath;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.io.LocalInputFile;
import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

/** Rows of a row group of a Parquet file: only the columns that are asked for are read. */
final class ParquetRows implements TableInput {
    private static final byte[] NO_BYTES = {};

    private final ParquetFileReader reader;
    private final int rowGroup;
    private final long rows;
    private final List<Bound> columns;
    private long row;

    /** A column that the file has, and where it goes. */
    private record Bound(int column, ColumnReader reader, int level, ParquetTypes.Cell cell, boolean isTimestamp) {
        void read(EventColumns into) {
            if (reader.getCurrentDefinitionLevel() == level) {
                cell.put(reader, into, column);
            } else {
                into.put(column, FieldKind.NULL);
            }
            reader.consume();
        }

        void skip() {
            if (reader.getCurrentDefinitionLevel() == level) {
                reader.skip();
            }
            reader.consume();
        }
    }

    private ParquetRows(ParquetFileReader reader, int rowGroup, long rows, List<Bound> columns) {
        this.reader = reader;
        this.rowGroup = rowGroup;
        this.rows = rows;
        this.columns = columns;
    }

    /** Opens a file; what is wrong with it is told with its name. */
    static ParquetFileReader file(Path path) throws IOException {
        try {
            return ParquetFileReader.open(
                    new LocalInputFile(path),
                    ParquetReadOptions.builder(new PlainParquetConfiguration())
                            .withCodecFactory(new ParquetCodecs())
                            .build());
        } catch (RuntimeException e) {
            throw new IOException(path + ": is not Parquet: " + e.getMessage(), e);
        }
    }

    static ParquetRows open(Path path, int rowGroup, Projection projection) throws IOException {
        ParquetFileReader file = file(path);
        try {
            return open(file, rowGroup, projection);
        } catch (RuntimeException | IOException e) {
            file.close();
            throw new IOException(path + ": " + e.getMessage(), e);
        }
    }

    private static ParquetRows open(ParquetFileReader file, int rowGroup, Projection projection) throws IOException {
        MessageType schema = file.getFileMetaData().getSchema();
        List<ColumnDescriptor> wanted = new ArrayList<>();
        List<Integer> places = new ArrayList<>();
        for (int c = 0; c < projection.paths().size(); c++) {
            ColumnDescriptor column = column(schema, projection.paths().get(c));
            if (column != null) {
                wanted.add(column);
                places.add(c);
            }
        }
        file.setRequestedSchema(wanted);
        PageReadStore pages = file.readRowGroup(rowGroup);
        ColumnReadStoreImpl store = new ColumnReadStoreImpl(
                pages, new Unconverted(schema), schema, file.getFileMetaData().getCreatedBy());
        List<Bound> bound = new ArrayList<>();
        for (int i = 0; i < wanted.size(); i++) {
            ColumnDescriptor column = wanted.get(i);
            bound.add(new Bound(
                    places.get(i),
                    store.getColumnReader(column),
                    column.getMaxDefinitionLevel(),
                    ParquetTypes.cell(column.getPrimitiveType()),
                    ParquetTypes.isTimestamp(column.getPrimitiveType())));
        }
        return new ParquetRows(file, rowGroup, pages.getRowCount(), bound);
    }

    /** Null where the file has no such column, or a list or map of that name. */
    static @Nullable ColumnDescriptor column(MessageType schema, FieldPath path) {
        for (ColumnDescriptor column : schema.getColumns()) {
            if (column.getMaxRepetitionLevel() == 0 && List.of(column.getPath()).equals(path.segments())) {
                return column;
            }
        }
        return null;
    }

    @Override
    public int read(int most, EventColumns into) {
        int count = (int) Math.min(most, rows - row);
        for (int i = 0; i < count; i++, row++) {
            into.append(NO_BYTES, 0, 0, rowGroup, row, EventColumns.NO_TIMESTAMP);
            for (Bound column : columns) {
                column.read(into);
            }
        }
        return count;
    }

    @Override
    public void skip(long count) {
        long skipped = Math.min(count, rows - row);
        for (Bound column : columns) {
            for (long i = 0; i < skipped; i++) {
                column.skip();
            }
        }
        row += skipped;
    }

    @Override
    public boolean isTimestamp(int column) {
        return columns.stream().anyMatch(bound -> bound.column() == column && bound.isTimestamp());
    }

    @Override
    public double done() {
        return rows == 0 ? 1 : row / (double) rows;
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }

    /** Values are taken from the columns themselves. */
    private static final class Unconverted extends GroupConverter {
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
}
