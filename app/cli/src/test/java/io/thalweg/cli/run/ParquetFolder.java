package io.thalweg.cli.run;

import com.github.luben.zstd.Zstd;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.convert.GroupRecordConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.LocalInputFile;
import org.apache.parquet.io.RecordReader;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.DecimalLogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.jspecify.annotations.Nullable;

/** Reads the visible files of a folder with Parquet's own reader. Skips hidden files, as all readers do. */
final class ParquetFolder {
    private ParquetFolder() {}

    /** The visible files in name order. */
    static List<Path> files(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> !file.getFileName().toString().matches("[._].*"))
                    .sorted()
                    .toList();
        }
    }

    /** The rows of all visible files: structs and maps as maps, lists as lists, text as text, decimals of many digits as such. */
    static List<Map<String, @Nullable Object>> rows(Path folder) throws IOException {
        List<Map<String, @Nullable Object>> rows = new ArrayList<>();
        for (Path file : files(folder)) {
            read(file, "", group -> rows.add(struct(group)));
        }
        return rows;
    }

    /** The values of one column of 64-bit integers. */
    static List<Long> longs(Path folder, String column) throws IOException {
        return longs(files(folder), column);
    }

    /** The values of one column of 64-bit integers. */
    static List<Long> longs(List<Path> files, String column) throws IOException {
        List<Long> values = new ArrayList<>();
        for (Path file : files) {
            read(file, column, group -> values.add(group.getLong(0, 0)));
        }
        return values;
    }

    /** Counts rows by the footers only, for polling: reading all rows would take resources that the writer needs. */
    static long rowCount(List<Path> files) throws IOException {
        long rows = 0;
        for (Path file : files) {
            try (ParquetFileReader reader = open(file)) {
                rows += reader.getRecordCount();
            }
        }
        return rows;
    }

    private interface Rows {
        void take(Group row);
    }

    private static void read(Path file, String column, Rows rows) throws IOException {
        try (ParquetFileReader reader = open(file)) {
            MessageType whole = reader.getFileMetaData().getSchema();
            MessageType schema = column.isEmpty() ? whole : new MessageType("record", whole.getType(column));
            reader.setRequestedSchema(schema);
            for (PageReadStore pages = reader.readNextRowGroup(); pages != null; pages = reader.readNextRowGroup()) {
                RecordReader<Group> records = new ColumnIOFactory()
                        .getColumnIO(schema)
                        .getRecordReader(pages, new GroupRecordConverter(schema));
                for (long row = 0; row < pages.getRowCount(); row++) {
                    rows.take(records.read());
                }
            }
        }
    }

    private static ParquetFileReader open(Path file) throws IOException {
        ParquetReadOptions options = ParquetReadOptions.builder(new PlainParquetConfiguration())
                .withCodecFactory(new Codecs())
                .build();
        return ParquetFileReader.open(new LocalInputFile(file), options);
    }

    private static Map<String, @Nullable Object> struct(Group group) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        GroupType type = group.getType();
        for (int field = 0; field < type.getFieldCount(); field++) {
            values.put(
                    type.getFieldName(field), group.getFieldRepetitionCount(field) == 0 ? null : value(group, field));
        }
        return values;
    }

    private static @Nullable Object value(Group group, int field) {
        Type type = group.getType().getType(field);
        LogicalTypeAnnotation logical = type.getLogicalTypeAnnotation();
        if (type.isPrimitive()) {
            return scalar(group, field, type);
        }
        Group inner = group.getGroup(field, 0);
        if (LogicalTypeAnnotation.listType().equals(logical)) {
            List<@Nullable Object> elements = new ArrayList<>();
            for (int i = 0; i < inner.getFieldRepetitionCount(0); i++) {
                Group element = inner.getGroup(0, i);
                elements.add(element.getFieldRepetitionCount(0) == 0 ? null : value(element, 0));
            }
            return elements;
        }
        if (LogicalTypeAnnotation.mapType().equals(logical)) {
            Map<@Nullable Object, @Nullable Object> entries = new LinkedHashMap<>();
            for (int i = 0; i < inner.getFieldRepetitionCount(0); i++) {
                Group entry = inner.getGroup(0, i);
                entries.put(value(entry, 0), entry.getFieldRepetitionCount(1) == 0 ? null : value(entry, 1));
            }
            return entries;
        }
        return struct(inner);
    }

    private static Object scalar(Group group, int field, Type type) {
        if (type.getLogicalTypeAnnotation() instanceof DecimalLogicalTypeAnnotation decimal
                && type.asPrimitiveType().getPrimitiveTypeName() == PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY) {
            return new BigDecimal(new BigInteger(group.getBinary(field, 0).getBytes()), decimal.getScale());
        }
        return switch (type.asPrimitiveType().getPrimitiveTypeName()) {
            case BOOLEAN -> group.getBoolean(field, 0);
            case INT32 -> (long) group.getInteger(field, 0);
            case INT64 -> group.getLong(field, 0);
            case DOUBLE -> group.getDouble(field, 0);
            case FLOAT -> (double) group.getFloat(field, 0);
            default -> group.getBinary(field, 0).toStringUsingUTF8();
        };
    }

    /** Pages as {@code sink.compression} writes them, without Hadoop. */
    private static final class Codecs implements CompressionCodecFactory {
        @Override
        public BytesInputCompressor getCompressor(CompressionCodecName codec) {
            throw new UnsupportedOperationException("only reads");
        }

        @Override
        public BytesInputDecompressor getDecompressor(CompressionCodecName codec) {
            if (codec != CompressionCodecName.ZSTD) {
                throw new UnsupportedOperationException(codec + " is not the default");
            }
            return new Pages();
        }

        @Override
        public void release() {}
    }

    private static final class Pages implements CompressionCodecFactory.BytesInputDecompressor {
        @Override
        public BytesInput decompress(BytesInput bytes, int decompressedSize) throws IOException {
            return BytesInput.from(Zstd.decompress(bytes.toInputStream().readAllBytes(), decompressedSize));
        }

        @Override
        public void decompress(ByteBuffer input, int compressedSize, ByteBuffer output, int decompressedSize) {
            byte[] compressed = new byte[compressedSize];
            input.get(compressed);
            output.put(Zstd.decompress(compressed, decompressedSize));
        }

        @Override
        public void release() {}
    }
}
