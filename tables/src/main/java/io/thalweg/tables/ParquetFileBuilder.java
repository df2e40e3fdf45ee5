package io.thalweg.tables;

import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.LeafColumn;
import io.thalweg.records.schema.FieldType.Bool;
import io.thalweg.records.schema.FieldType.Real;
import io.thalweg.records.schema.Struct;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
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
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Writes one Parquet file from columns.
 *
 * <p><b>Encoding.</b> The first {@value #SAMPLE} rows decide which columns get a dictionary: those in which at most one value in
 * five is new. Parquet would try a dictionary for each column and pay for each that does not hold.
 *
 * <p><b>Memory.</b> At most one row group, plus the sample.
 *
 * <p><b>Threads.</b> One.
 */
public final class ParquetFileBuilder {
    private static final int SAMPLE = 10_000;
    private static final int PAGE_BYTES = 1 << 20;
    private static final int COLUMN_INDEX_BYTES = 64;

    private final MessageType schema;
    private final CompressionCodecName codec;
    private final long rowGroupBytes;
    private final ParquetFileWriter file;
    private final ParquetCodecs codecs = new ParquetCodecs();
    private final List<ColumnBatch> sample = new ArrayList<>();
    private long sampleBytes;
    private int sampleRows;
    private @Nullable ParquetProperties properties;
    private @Nullable RowGroup group;
    private long rows;

    /** How pages are compressed. */
    public enum Compression {
        NONE(CompressionCodecName.UNCOMPRESSED),
        SNAPPY(CompressionCodecName.SNAPPY),
        ZSTD(CompressionCodecName.ZSTD);

        private final CompressionCodecName codec;

        Compression(CompressionCodecName codec) {
            this.codec = codec;
        }

        /** As in definitions. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Begins a file.
     *
     * @param rowGroupBytes after how many bytes in memory a row group is written
     */
    public ParquetFileBuilder(TableFile.Output out, Struct schema, Compression compression, long rowGroupBytes)
            throws IOException {
        this(out, ParquetSchemas.of(schema), compression, rowGroupBytes);
    }

    /**
     * Begins a file.
     *
     * @param schema as {@link ParquetSchemas#of} converts it, apart from the ids of fields
     * @param rowGroupBytes after how many bytes in memory a row group is written
     */
    public ParquetFileBuilder(TableFile.Output out, MessageType schema, Compression compression, long rowGroupBytes)
            throws IOException {
        this(ParquetStreams.of(out), schema, compression, rowGroupBytes);
    }

    ParquetFileBuilder(OutputFile out, MessageType schema, Compression compression, long rowGroupBytes)
            throws IOException {
        this.schema = schema;
        this.codec = compression.codec;
        this.rowGroupBytes = rowGroupBytes;
        file = new ParquetFileWriter(
                out,
                this.schema,
                ParquetFileWriter.Mode.CREATE,
                rowGroupBytes,
                0,
                COLUMN_INDEX_BYTES,
                COLUMN_INDEX_BYTES,
                false);
        file.start();
    }

    /** Adds rows; the batch is read before the call returns, or kept unchanged until the sample is complete. */
    public void add(ColumnBatch batch) throws IOException {
        if (batch.rows() == 0) {
            // A row group must not be empty.
            return;
        }
        rows += batch.rows();
        if (properties != null) {
            write(batch, properties);
            return;
        }
        sample.add(batch);
        sampleRows += batch.rows();
        sampleBytes += batch.valueBytes();
        if (sampleRows >= SAMPLE || sampleBytes >= rowGroupBytes) {
            writeSample();
        }
    }

    /** Rows added. */
    public long rows() {
        return rows;
    }

    /**
     * Bytes written and bytes in memory: about the size of the file if it ended here. The sample and the page that is open in
     * each column count before they are packed and compressed.
     */
    public long bytes() throws IOException {
        return file.getPos() + sampleBytes + (group == null ? 0 : group.columns.getBufferedSize());
    }

    /** Writes what is in memory and the footer, which it returns, and closes the stream of the file. */
    public ParquetMetadata finish() throws IOException {
        if (properties == null) {
            writeSample();
        }
        endGroup();
        file.end(Map.of());
        return file.getFooter();
    }

    private void writeSample() throws IOException {
        ParquetProperties chosen = properties();
        properties = chosen;
        for (ColumnBatch batch : sample) {
            write(batch, chosen);
        }
        sample.clear();
        sampleBytes = 0;
    }

    private ParquetProperties properties() {
        ParquetProperties.Builder builder = ParquetProperties.builder()
                .withAllocator(HeapByteBufferAllocator.getInstance())
                .withPageSize(PAGE_BYTES)
                .withDictionaryEncoding(false);
        List<ColumnDescriptor> columns = schema.getColumns();
        for (int i = 0; i < columns.size(); i++) {
            int leaf = i;
            if (repeats(sample.stream().map(batch -> batch.leaves().get(leaf)).toList())) {
                builder.withDictionaryEncoding(String.join(".", columns.get(i).getPath()), true);
            }
        }
        return builder.build();
    }

    /** Whether at most one value in five is new. */
    private static boolean repeats(List<LeafColumn> column) {
        if (column.isEmpty() || column.get(0).type() instanceof Bool) {
            return false;
        }
        long values = column.stream().mapToLong(LeafColumn::values).sum();
        Set<Object> distinct = new HashSet<>();
        for (LeafColumn leaf : column) {
            for (int i = 0; i < leaf.values() && distinct.size() * 5L <= values; i++) {
                distinct.add(
                        leaf.isFixed()
                                ? (Object) leaf.longAt(i)
                                : Binary.fromConstantByteArray(leaf.data(), leaf.from(i), leaf.to(i) - leaf.from(i)));
            }
        }
        return distinct.size() * 5L <= values;
    }

    private void write(ColumnBatch batch, ParquetProperties properties) throws IOException {
        RowGroup open = group;
        if (open == null) {
            open = new RowGroup(properties);
            group = open;
        }
        open.write(batch);
        if (open.columns.getBufferedSize() >= rowGroupBytes) {
            endGroup();
        }
    }

    private void endGroup() throws IOException {
        if (group != null) {
            group.flush();
            group = null;
        }
    }

    /** The row group that is being filled. */
    private final class RowGroup {
        private final ColumnChunkPageWriteStore pages;
        private final ColumnWriteStore columns;
        private final List<ColumnWriter> writers = new ArrayList<>();
        private long groupRows;

        RowGroup(ParquetProperties properties) {
            pages = new ColumnChunkPageWriteStore(
                    codecs.getCompressor(codec), schema, properties.getAllocator(), COLUMN_INDEX_BYTES);
            columns = properties.newColumnWriteStore(schema, pages);
            for (ColumnDescriptor column : schema.getColumns()) {
                writers.add(columns.getColumnWriter(column));
            }
        }

        void write(ColumnBatch batch) {
            List<ColumnDescriptor> descriptors = schema.getColumns();
            for (int i = 0; i < writers.size(); i++) {
                copy(batch.leaves().get(i), descriptors.get(i).getPrimitiveType(), writers.get(i));
            }
            for (int row = 0; row < batch.rows(); row++) {
                columns.endRecord();
            }
            groupRows += batch.rows();
        }

        void flush() throws IOException {
            file.startBlock(groupRows);
            columns.flush();
            pages.flushToFileWriter(file);
            file.endBlock();
            columns.close();
            pages.close();
        }
    }

    private static void copy(LeafColumn leaf, PrimitiveType type, ColumnWriter to) {
        if (!leaf.isFixed()) {
            copyBytes(leaf, type, to);
        } else if (leaf.type() instanceof Bool) {
            copyBooleans(leaf, to);
        } else if (leaf.type() instanceof Real real) {
            copyReals(leaf, real.bits() == 32, to);
        } else if (type.getPrimitiveTypeName() == PrimitiveTypeName.INT32) {
            copyInts(leaf, to);
        } else {
            copyLongs(leaf, to);
        }
    }

    /** Writes entry {@code i} if it is a null; returns whether it has a value. */
    private static boolean hasValue(LeafColumn leaf, int entry, ColumnWriter to) {
        int definition = leaf.definition(entry);
        if (definition == leaf.maxDefinition()) {
            return true;
        }
        to.writeNull(leaf.repetition(entry), definition);
        return false;
    }

    private static void copyLongs(LeafColumn leaf, ColumnWriter to) {
        int value = 0;
        for (int i = 0; i < leaf.entries(); i++) {
            if (hasValue(leaf, i, to)) {
                to.write(leaf.longAt(value++), leaf.repetition(i), leaf.maxDefinition());
            }
        }
    }

    private static void copyInts(LeafColumn leaf, ColumnWriter to) {
        int value = 0;
        for (int i = 0; i < leaf.entries(); i++) {
            if (hasValue(leaf, i, to)) {
                to.write((int) leaf.longAt(value++), leaf.repetition(i), leaf.maxDefinition());
            }
        }
    }

    private static void copyBooleans(LeafColumn leaf, ColumnWriter to) {
        int value = 0;
        for (int i = 0; i < leaf.entries(); i++) {
            if (hasValue(leaf, i, to)) {
                to.write(leaf.longAt(value++) != 0, leaf.repetition(i), leaf.maxDefinition());
            }
        }
    }

    private static void copyReals(LeafColumn leaf, boolean single, ColumnWriter to) {
        int value = 0;
        for (int i = 0; i < leaf.entries(); i++) {
            if (hasValue(leaf, i, to)) {
                double number = Double.longBitsToDouble(leaf.longAt(value++));
                if (single) {
                    to.write((float) number, leaf.repetition(i), leaf.maxDefinition());
                } else {
                    to.write(number, leaf.repetition(i), leaf.maxDefinition());
                }
            }
        }
    }

    private static void copyBytes(LeafColumn leaf, PrimitiveType type, ColumnWriter to) {
        int width = type.getPrimitiveTypeName() == PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY ? type.getTypeLength() : 0;
        byte[] extended = new byte[width];
        int value = 0;
        for (int i = 0; i < leaf.entries(); i++) {
            if (!hasValue(leaf, i, to)) {
                continue;
            }
            int from = leaf.from(value);
            int length = leaf.to(value++) - from;
            Binary binary = width == 0 || width == length
                    ? Binary.fromReusedByteArray(leaf.data(), from, length)
                    : extended(leaf.data(), from, length, extended);
            to.write(binary, leaf.repetition(i), leaf.maxDefinition());
        }
    }

    /** A decimal with its sign extended to the width of its column. */
    private static Binary extended(byte[] data, int from, int length, byte[] into) {
        int lead = into.length - length;
        if (lead < 0) {
            // Leading bytes beyond the precision repeat the sign.
            return Binary.fromReusedByteArray(data, from - lead, into.length);
        }
        Arrays.fill(into, 0, lead, (byte) (data[from] >> 7));
        System.arraycopy(data, from, into, lead, length);
        return Binary.fromReusedByteArray(into);
    }
}
