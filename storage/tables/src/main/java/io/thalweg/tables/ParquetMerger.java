package io.thalweg.tables;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnReader;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.column.impl.ColumnReadStoreImpl;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/**
 * Writes the rows of several Parquet files of one schema to one file, in order: columns are copied without assembling
 * rows.
 *
 * <p><b>Encoding.</b> Columns with a dictionary in the first file get one.
 *
 * <p><b>Memory.</b> One compressed row group being read, and one being written.
 *
 * <p><b>Threads.</b> One.
 */
public final class ParquetMerger {
    /** The number of rows, at most, between two calls of {@code betweenRows}. */
    public static final int ROWS = 8_192;

    private final MessageType schema;
    private final RowGroups groups;
    private final Runnable betweenRows;

    private ParquetMerger(MessageType schema, RowGroups groups, Runnable betweenRows) {
        this.schema = schema;
        this.groups = groups;
        this.betweenRows = betweenRows;
    }

    /**
     * Returns the schema of a file, with the ids of its fields.
     *
     * @throws IOException if it is not a Parquet file, or is truncated
     */
    public static MessageType schema(Path file) throws IOException {
        try (ParquetFileReader reader = ParquetRows.file(file)) {
            return reader.getFileMetaData().getSchema();
        }
    }

    /**
     * Merges files.
     *
     * @param files at least one; all have the same {@link #schema}
     * @param rowGroupBytes the bytes in memory after which a row group is written
     * @param betweenRows called every few thousand rows; an exception aborts the merge
     * @return the footer of the file that was written
     * @throws IOException if a file cannot be read; the message names it
     */
    public static ParquetMetadata merge(
            List<Path> files,
            TableFile.Output out,
            ParquetFileBuilder.Compression compression,
            long rowGroupBytes,
            Runnable betweenRows)
            throws IOException {
        MessageType schema = schema(files.get(0));
        RowGroups groups = new RowGroups(ParquetStreams.of(out), schema, compression.codec(), rowGroupBytes);
        ParquetMerger merger = new ParquetMerger(schema, groups, betweenRows);
        for (Path file : files) {
            merger.add(file);
        }
        return groups.finish();
    }

    private void add(Path file) throws IOException {
        try (ParquetFileReader reader = ParquetRows.file(file)) {
            MessageType read = reader.getFileMetaData().getSchema();
            if (!read.equals(schema)) {
                throw new IllegalArgumentException(file + " has another schema: " + read);
            }
            if (!groups.isEncoded()) {
                encode(reader.getRowGroups());
            }
            for (int group = 0; group < reader.getRowGroups().size(); group++) {
                try (PageReadStore pages = reader.readRowGroup(group)) {
                    copy(pages, reader.getFileMetaData().getCreatedBy());
                }
            }
        }
    }

    private void encode(List<BlockMetaData> of) {
        groups.encode(
                column -> !of.isEmpty() && of.get(0).getColumns().get(column).hasDictionaryPage());
    }

    private void copy(PageReadStore pages, String createdBy) throws IOException {
        ColumnReadStoreImpl store = new ColumnReadStoreImpl(pages, new Unconverted(schema), schema, createdBy);
        List<Column> columns = new ArrayList<>();
        for (ColumnDescriptor column : schema.getColumns()) {
            columns.add(Column.of(column, store.getColumnReader(column)));
        }
        for (long left = pages.getRowCount(); left > 0; left -= ROWS) {
            betweenRows.run();
            int rows = (int) Math.min(ROWS, left);
            List<ColumnWriter> writers = groups.columns();
            for (int i = 0; i < writers.size(); i++) {
                columns.get(i).copy(rows, writers.get(i));
            }
            groups.endRows(rows);
        }
    }

    /** Writes the current value of a reader. */
    private interface Value {
        void write(ColumnReader from, int repetition, int definition, ColumnWriter to);

        static Value of(PrimitiveTypeName type) {
            return switch (type) {
                case BOOLEAN ->
                    (from, repetition, definition, to) -> to.write(from.getBoolean(), repetition, definition);
                case INT32 -> (from, repetition, definition, to) -> to.write(from.getInteger(), repetition, definition);
                case INT64 -> (from, repetition, definition, to) -> to.write(from.getLong(), repetition, definition);
                case FLOAT -> (from, repetition, definition, to) -> to.write(from.getFloat(), repetition, definition);
                case DOUBLE -> (from, repetition, definition, to) -> to.write(from.getDouble(), repetition, definition);
                case BINARY, FIXED_LEN_BYTE_ARRAY, INT96 ->
                    (from, repetition, definition, to) -> to.write(from.getBinary(), repetition, definition);
            };
        }
    }

    /** A column of the row group that is being read. */
    private record Column(ColumnReader reader, int maxDefinition, Value value) {
        static Column of(ColumnDescriptor column, ColumnReader reader) {
            return new Column(
                    reader,
                    column.getMaxDefinitionLevel(),
                    Value.of(column.getPrimitiveType().getPrimitiveTypeName()));
        }

        void copy(int rows, ColumnWriter to) {
            for (int row = 0; row < rows; row++) {
                do {
                    int repetition = reader.getCurrentRepetitionLevel();
                    int definition = reader.getCurrentDefinitionLevel();
                    if (definition == maxDefinition) {
                        value.write(reader, repetition, definition, to);
                    } else {
                        to.writeNull(repetition, definition);
                    }
                    reader.consume();
                } while (reader.getCurrentRepetitionLevel() > 0);
            }
        }
    }
}
