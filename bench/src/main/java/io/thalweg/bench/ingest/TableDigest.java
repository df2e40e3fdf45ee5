package io.thalweg.bench.ingest;

import com.google.common.hash.Hashing;
import io.thalweg.tables.ParquetCodecs;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.StaticTableOperations;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.convert.GroupRecordConverter;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.LocalInputFile;
import org.apache.parquet.io.MessageColumnIO;
import org.apache.parquet.io.RecordReader;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation.ListLogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.MapLogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType;
import org.apache.parquet.schema.Type;

/**
 * A digest of a table that does not depend on the order of its rows and columns: the number of rows and the sum of a hash of
 * each. Its files are read with Parquet's own reader, which no measured system uses.
 *
 * @param files number of files
 * @param bytes of them
 */
public record TableDigest(int files, long bytes, long rows, long hashes) {
    public static TableDigest of(List<Path> files) throws IOException {
        long bytes = 0;
        long rows = 0;
        long hashes = 0;
        for (Path file : files) {
            bytes += Files.size(file);
            try (ParquetFileReader reader = ParquetFileReader.open(
                    new LocalInputFile(file),
                    ParquetReadOptions.builder(new PlainParquetConfiguration())
                            .withCodecFactory(new ParquetCodecs())
                            .build())) {
                MessageType schema = reader.getFileMetaData().getSchema();
                MessageColumnIO columns = new ColumnIOFactory().getColumnIO(schema);
                for (PageReadStore group = reader.readNextRowGroup();
                        group != null;
                        group = reader.readNextRowGroup()) {
                    RecordReader<Group> records = columns.getRecordReader(group, new GroupRecordConverter(schema));
                    for (long row = 0; row < group.getRowCount(); row++) {
                        hashes += hash(struct(records.read(), schema));
                        rows++;
                    }
                }
            }
        }
        return new TableDigest(files.size(), bytes, rows, hashes);
    }

    /** Whether two tables contain the same rows. */
    public boolean hasRowsOf(TableDigest other) {
        return rows == other.rows && hashes == other.hashes;
    }

    /** Returns a well-mixed hash, so that differences do not cancel out in a sum. */
    static long hash(String row) {
        return Hashing.murmur3_128().hashString(row, StandardCharsets.UTF_8).asLong();
    }

    /** Returns the fields that are present, by name. */
    private static String struct(Group group, GroupType type) {
        TreeMap<String, String> fields = new TreeMap<>();
        for (int i = 0; i < type.getFieldCount(); i++) {
            if (group.getFieldRepetitionCount(i) > 0) {
                fields.put(type.getFieldName(i), value(group, i, 0, type.getType(i)));
            }
        }
        return fields.toString();
    }

    private static String value(Group parent, int field, int index, Type type) {
        if (type.isPrimitive()) {
            return scalar(parent, field, index, type.asPrimitiveType());
        }
        Group group = parent.getGroup(field, index);
        GroupType groupType = type.asGroupType();
        if (type.getLogicalTypeAnnotation() instanceof ListLogicalTypeAnnotation) {
            return list(group, groupType.getType(0).asGroupType());
        }
        if (type.getLogicalTypeAnnotation() instanceof MapLogicalTypeAnnotation) {
            return map(group, groupType.getType(0).asGroupType());
        }
        return struct(group, groupType);
    }

    private static String list(Group list, GroupType repeated) {
        StringBuilder elements = new StringBuilder("(");
        for (int i = 0; i < list.getFieldRepetitionCount(0); i++) {
            elements.append(optional(list.getGroup(0, i), 0, repeated)).append(';');
        }
        return elements.append(')').toString();
    }

    private static String map(Group map, GroupType repeated) {
        TreeMap<String, String> entries = new TreeMap<>();
        for (int i = 0; i < map.getFieldRepetitionCount(0); i++) {
            Group entry = map.getGroup(0, i);
            entries.put(optional(entry, 0, repeated), optional(entry, 1, repeated));
        }
        return "map" + entries;
    }

    private static String optional(Group group, int field, GroupType type) {
        return group.getFieldRepetitionCount(field) == 0 ? "null" : value(group, field, 0, type.getType(field));
    }

    /** Returns a value; lengths precede texts, so that different values never look alike. */
    private static String scalar(Group group, int field, int index, PrimitiveType type) {
        return switch (type.getPrimitiveTypeName()) {
            case BINARY, FIXED_LEN_BYTE_ARRAY -> {
                String text = group.getBinary(field, index).toStringUsingUTF8();
                yield text.length() + ":" + text;
            }
            case DOUBLE -> Long.toHexString(Double.doubleToLongBits(group.getDouble(field, index)));
            case FLOAT -> Integer.toHexString(Float.floatToIntBits(group.getFloat(field, index)));
            case BOOLEAN -> String.valueOf(group.getBoolean(field, index));
            case INT32 -> String.valueOf(group.getInteger(field, index));
            case INT64 -> String.valueOf(group.getLong(field, index));
            case INT96 -> throw new IllegalArgumentException("INT96 is not supported: " + type);
        };
    }

    /** The Parquet files of a table. */
    static final class DataFiles {
        /** The path of an Iceberg table in the output of a system. */
        static final String ICEBERG = "bench/rides";

        private DataFiles() {}

        /** Returns the files that a system has written. */
        public static List<Path> of(IngestVariant variant, Path output) throws IOException {
            return variant.target == IngestVariant.Target.ICEBERG ? iceberg(output.resolve(ICEBERG)) : complete(output);
        }

        private static List<Path> complete(Path folder) throws IOException {
            try (Stream<Path> files = Files.list(folder)) {
                return files.filter(file -> {
                            String name = file.getFileName().toString();
                            return name.endsWith(".parquet") && !name.startsWith(".");
                        })
                        .sorted()
                        .toList();
            }
        }

        /** Returns the files of the newest version. */
        private static List<Path> iceberg(Path folder) throws IOException {
            Path metadata = folder.resolve("metadata");
            String version =
                    Files.readString(metadata.resolve("version-hint.text")).strip();
            Path newest = metadata.resolve("v" + version + ".metadata.json");
            BaseTable table = new BaseTable(new StaticTableOperations(newest.toString(), new Local()), "rides");
            List<Path> files = new ArrayList<>();
            try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
                tasks.forEach(task -> files.add(local(task.file().location())));
            }
            return files;
        }

        private static Path local(String location) {
            return location.startsWith("file:") ? Path.of(URI.create(location).getPath()) : Path.of(location);
        }

        /** Reads files of this machine. */
        private static final class Local implements FileIO {
            @Override
            public InputFile newInputFile(String location) {
                return org.apache.iceberg.Files.localInput(local(location).toFile());
            }

            @Override
            public OutputFile newOutputFile(String location) {
                throw new UnsupportedOperationException("nothing is written");
            }

            @Override
            public void deleteFile(String location) {
                throw new UnsupportedOperationException("nothing is deleted");
            }
        }
    }
}
