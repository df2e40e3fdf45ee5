package io.thalweg.formats;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.GZIPOutputStream;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.ParquetProperties.WriterVersion;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.ParquetFileWriter;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.xerial.snappy.Snappy;

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
        Files.createDirectories(file.toAbsolutePath().getParent());
        MessageType type = MessageTypeParser.parseMessageType(schema);
        SimpleGroupFactory groups = new SimpleGroupFactory(type);
        try (ParquetWriter<Group> writer = ExampleParquetWriter.builder(new LocalOutputFile(file))
                .withType(type)
                .withConf(new PlainParquetConfiguration())
                .withCodecFactory(new Compression())
                .withCompressionCodec(codec)
                .withWriterVersion(version)
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

    private static final class Compression implements CompressionCodecFactory {
        @Override
        public BytesInputCompressor getCompressor(CompressionCodecName codec) {
            return new BytesInputCompressor() {
                @Override
                public BytesInput compress(BytesInput bytes) throws IOException {
                    return BytesInput.from(
                            compressed(codec, bytes.toInputStream().readAllBytes()));
                }

                @Override
                public CompressionCodecName getCodecName() {
                    return codec;
                }

                @Override
                public void release() {
                    // Nothing is held.
                }
            };
        }

        private static byte[] compressed(CompressionCodecName codec, byte[] page) throws IOException {
            return switch (codec) {
                case SNAPPY -> Snappy.compress(page);
                case ZSTD -> Zstd.compress(page);
                case GZIP -> gzip(page);
                default -> page;
            };
        }

        private static byte[] gzip(byte[] page) throws IOException {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
                gzip.write(page);
            }
            return out.toByteArray();
        }

        @Override
        public BytesInputDecompressor getDecompressor(CompressionCodecName codec) {
            throw new UnsupportedOperationException("files are written here");
        }

        @Override
        public void release() {
            // Nothing is held.
        }
    }
}
