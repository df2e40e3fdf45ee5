package io.thalweg.tables;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.crypto.FileEncryptionProperties;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.jspecify.annotations.Nullable;

/** Writes files with Parquet's own writer. */
final class ParquetFiles {
    private final CompressionCodecName codec;
    private final WriterVersion version;
    private final int rowGroupRows;

    ParquetFiles(CompressionCodecName codec, WriterVersion version, int rowGroupRows) {
        this.codec = codec;
        this.version = version;
        this.rowGroupRows = rowGroupRows;
    }

    static ParquetFiles plain() {
        return new ParquetFiles(CompressionCodecName.SNAPPY, WriterVersion.PARQUET_1_0, 1_000);
    }

    /**
     * Writes rows.
     *
     * @param schema as Parquet prints it
     */
    Path write(Path file, String schema, List<Consumer<Group>> rows) throws IOException {
        return write(file, schema, null, rows);
    }

    /** Writes rows, encrypted if {@code encryption} is not null. */
    Path write(Path file, String schema, @Nullable FileEncryptionProperties encryption, List<Consumer<Group>> rows)
            throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        MessageType type = MessageTypeParser.parseMessageType(schema);
        SimpleGroupFactory groups = new SimpleGroupFactory(type);
        try (ParquetWriter<Group> writer = ExampleParquetWriter.builder(new LocalOutputFile(file))
                .withType(type)
                .withConf(new PlainParquetConfiguration())
                .withCodecFactory(new ParquetCodecs())
                .withCompressionCodec(codec)
                .withWriterVersion(version)
                .withEncryption(encryption)
                .withRowGroupRowCountLimit(rowGroupRows)
                .withWriteMode(ParquetFileWriter.Mode.OVERWRITE)
                .build()) {
            for (Consumer<Group> row : rows) {
                Group group = groups.newGroup();
                row.accept(group);
                writer.write(group);
            }
        }
        return file;
    }
}
