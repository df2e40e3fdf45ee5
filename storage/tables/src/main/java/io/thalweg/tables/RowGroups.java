package io.thalweg.tables;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.apache.parquet.bytes.HeapByteBufferAllocator;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.hadoop.ColumnChunkPageWriteStore;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;

/**
 * The row groups of a Parquet file that is being written: the columns of a group are filled side by side, a few rows at a time.
 *
 * <p><b>Memory.</b> One row group.
 *
 * <p><b>Threads.</b> One.
 */
final class RowGroups {
    private static final int PAGE_BYTES = 1 << 20;
    private static final int COLUMN_INDEX_BYTES = 64;

    private final MessageType schema;
    private final CompressionCodecName codec;
    private final long rowGroupBytes;
    private final ParquetFileWriter file;
    private final ParquetCodecs codecs = new ParquetCodecs();
    private @Nullable ParquetProperties properties;
    private @Nullable Group group;

    RowGroups(OutputFile out, MessageType schema, CompressionCodecName codec, long rowGroupBytes) throws IOException {
        this.schema = schema;
        this.codec = codec;
        this.rowGroupBytes = rowGroupBytes;
        file = new ParquetFileWriter(
                out,
                schema,
                ParquetFileWriter.Mode.CREATE,
                rowGroupBytes,
                0,
                COLUMN_INDEX_BYTES,
                COLUMN_INDEX_BYTES,
                false);
        file.start();
    }

    /** Chooses the columns with a dictionary, by their index. Called once, before the first row. */
    void encode(IntPredicate hasDictionary) {
        ParquetProperties.Builder builder = ParquetProperties.builder()
                .withAllocator(HeapByteBufferAllocator.getInstance())
                .withPageSize(PAGE_BYTES)
                .withDictionaryEncoding(false);
        List<ColumnDescriptor> columns = schema.getColumns();
        for (int i = 0; i < columns.size(); i++) {
            if (hasDictionary.test(i)) {
                builder.withDictionaryEncoding(String.join(".", columns.get(i).getPath()), true);
            }
        }
        properties = builder.build();
    }

    /** Whether the encodings are chosen. */
    boolean isEncoded() {
        return properties != null;
    }

    /** Returns the columns of the open group; all accept the same rows, which {@link #endRows} then counts. */
    List<ColumnWriter> columns() {
        return open().writers;
    }

    private Group open() {
        Group now = group;
        if (now == null) {
            if (properties == null) {
                throw new IllegalStateException("encode comes before the first row");
            }
            now = new Group(properties);
            group = now;
        }
        return now;
    }

    /** Counts rows that every column has accepted, and ends the group if it is large enough. */
    void endRows(int rows) throws IOException {
        Group now = open();
        for (int row = 0; row < rows; row++) {
            now.columns.endRecord();
        }
        now.rows += rows;
        if (now.columns.getBufferedSize() >= rowGroupBytes) {
            endGroup();
        }
    }

    /** Writes the open group, if there is one. */
    void endGroup() throws IOException {
        if (group != null) {
            group.flush();
            group = null;
        }
    }

    /** Returns the bytes of the open group. */
    long bytesInMemory() {
        return group == null ? 0 : group.columns.getBufferedSize();
    }

    /** Returns the bytes written and in memory. */
    long bytes() throws IOException {
        return file.getPos() + bytesInMemory();
    }

    /** Writes the rows in memory and the footer, closes the stream of the file, and returns the footer. */
    ParquetMetadata finish() throws IOException {
        endGroup();
        file.end(Map.of());
        return file.getFooter();
    }

    private final class Group {
        private final ColumnChunkPageWriteStore pages;
        private final ColumnWriteStore columns;
        private final List<ColumnWriter> writers = new ArrayList<>();
        private long rows;

        Group(ParquetProperties properties) {
            pages = new ColumnChunkPageWriteStore(
                    codecs.getCompressor(codec), schema, properties.getAllocator(), COLUMN_INDEX_BYTES);
            columns = properties.newColumnWriteStore(schema, pages);
            for (ColumnDescriptor column : schema.getColumns()) {
                writers.add(columns.getColumnWriter(column));
            }
        }

        void flush() throws IOException {
            file.startBlock(rows);
            columns.flush();
            pages.flushToFileWriter(file);
            file.endBlock();
            columns.close();
            pages.close();
        }
    }
}
