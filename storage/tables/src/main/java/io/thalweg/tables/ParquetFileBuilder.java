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
import java.util.Set;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;

/**
 * Writes one Parquet file from columns.
 *
 * <p><b>Encoding.</b> The first {@value #SAMPLE} rows decide which columns get a dictionary: those in which at most one value in
 * five is new. Parquet itself would try a dictionary for every column and pay for each that fails.
 *
 * <p><b>Memory.</b> At most one row group, plus the sample.
 *
 * <p><b>Threads.</b> One.
 */
public final class ParquetFileBuilder implements OpenFiles.File {
    private static final int SAMPLE = 10_000;

    private final MessageType schema;
    private final long rowGroupBytes;
    private final RowGroups groups;
    private final List<ColumnBatch> sample = new ArrayList<>();
    private long sampleBytes;
    private int sampleRows;
    private long rows;

    /** The compression of pages. */
    public enum Compression {
        NONE(CompressionCodecName.UNCOMPRESSED),
        SNAPPY(CompressionCodecName.SNAPPY),
        ZSTD(CompressionCodecName.ZSTD);

        private final CompressionCodecName codec;

        Compression(CompressionCodecName codec) {
            this.codec = codec;
        }

        CompressionCodecName codec() {
            return codec;
        }

        /** The name in definitions. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Creates a file.
     *
     * @param rowGroupBytes the bytes in memory after which a row group is written
     */
    public ParquetFileBuilder(TableFile.Output out, Struct schema, Compression compression, long rowGroupBytes)
            throws IOException {
        this(out, ParquetSchemas.of(schema), compression, rowGroupBytes);
    }

    /**
     * Creates a file.
     *
     * @param schema as {@link ParquetSchemas#of} converts it, apart from the ids of fields
     * @param rowGroupBytes the bytes in memory after which a row group is written
     */
    public ParquetFileBuilder(TableFile.Output out, MessageType schema, Compression compression, long rowGroupBytes)
            throws IOException {
        this(ParquetStreams.of(out), schema, compression, rowGroupBytes);
    }

    ParquetFileBuilder(OutputFile out, MessageType schema, Compression compression, long rowGroupBytes)
            throws IOException {
        this.schema = schema;
        this.rowGroupBytes = rowGroupBytes;
        groups = new RowGroups(out, schema, compression.codec(), rowGroupBytes);
    }

    /** Adds rows; the batch is read before the call returns, or must stay unchanged until the sample is complete. */
    public void add(ColumnBatch batch) throws IOException {
        if (batch.rows() == 0) {
            // A row group must not be empty.
            return;
        }
        rows += batch.rows();
        if (groups.isEncoded()) {
            write(batch);
            return;
        }
        sample.add(batch);
        sampleRows += batch.rows();
        sampleBytes += batch.valueBytes();
        if (sampleRows >= SAMPLE || sampleBytes >= rowGroupBytes) {
            writeSample();
        }
    }

    /** Returns the number of rows added. */
    public long rows() {
        return rows;
    }

    /**
     * Returns the bytes written plus the bytes in memory: roughly the size of the file if it ended here. The sample and the
     * open page of each column count before they are packed and compressed.
     */
    public long bytes() throws IOException {
        return groups.bytes() + sampleBytes;
    }

    @Override
    public long bytesInMemory() {
        return groups.bytesInMemory() + sampleBytes;
    }

    /** Writes the rows in memory as a row group. If the sample is not complete, the rows so far decide the encodings. */
    @Override
    public void endRowGroup() throws IOException {
        if (!groups.isEncoded()) {
            writeSample();
        }
        groups.endGroup();
    }

    /** Writes the rows in memory and the footer, closes the stream of the file, and returns the footer. */
    public ParquetMetadata finish() throws IOException {
        if (!groups.isEncoded()) {
            writeSample();
        }
        return groups.finish();
    }

    private void writeSample() throws IOException {
        groups.encode(leaf ->
                repeats(sample.stream().map(batch -> batch.leaves().get(leaf)).toList()));
        for (ColumnBatch batch : sample) {
            write(batch);
        }
        sample.clear();
        sampleBytes = 0;
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

    private void write(ColumnBatch batch) throws IOException {
        List<ColumnDescriptor> descriptors = schema.getColumns();
        List<ColumnWriter> columns = groups.columns();
        for (int i = 0; i < columns.size(); i++) {
            copy(batch.leaves().get(i), descriptors.get(i).getPrimitiveType(), columns.get(i));
        }
        groups.endRows(batch.rows());
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

    /** Returns a decimal with its sign extended to the width of its column. */
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
