package io.thalweg.devkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.parquet.bytes.BytesInput;
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
import org.jspecify.annotations.Nullable;
import org.xerial.snappy.Snappy;

/**
 * A Parquet table of drivers' figures, such as a nightly job writes: for trying and measuring loads. Row {@code i} belongs to
 * driver {@code i}, and its values follow from {@code i}.
 *
 * <p><b>Shape.</b> {@code driver_id} int64, {@code trips} int32, {@code avg_rating} double and absent in every eleventh row,
 * {@code vip} boolean, {@code ts} a timestamp of milliseconds. Compressed with snappy.
 */
public final class DriverTable {
    private static final MessageType SCHEMA = MessageTypeParser.parseMessageType("""
            message driver_stats {
              required int64 driver_id;
              required int32 trips;
              optional double avg_rating;
              required boolean vip;
              required int64 ts (TIMESTAMP(MILLIS,true));
            }
            """);

    private static final long DAY_MS = 86_400_000;

    private DriverTable() {}

    /** Trips of a driver. */
    public static long trips(long row) {
        return row * 31 % 2_003;
    }

    /** Rating of a driver; null where there is none. */
    public static @Nullable Double rating(long row) {
        return row % 11 == 0 ? null : (Double) (1 + row % 400 / 100.0);
    }

    /** Whether a driver is a VIP: every seventeenth is. */
    public static boolean isVip(long row) {
        return row % 17 == 0;
    }

    /** Returns the time of a row: within the day before {@code endMs}. */
    public static long timeMs(long row, long endMs) {
        return endMs - 1 - row * 7_919 % DAY_MS;
    }

    /**
     * Writes rows {@code from} to {@code to}, the latter exclusive, into a file whose folder is created if it is
     * missing.
     *
     * @param endMs epoch ms
     * @param rowGroupRows rows of a row group
     */
    public static void write(Path file, long from, long to, long endMs, int rowGroupRows) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        SimpleGroupFactory groups = new SimpleGroupFactory(SCHEMA);
        try (ParquetWriter<Group> writer = ExampleParquetWriter.builder(new LocalOutputFile(file))
                .withType(SCHEMA)
                .withConf(new PlainParquetConfiguration())
                .withCodecFactory(new SnappyOnly())
                .withCompressionCodec(CompressionCodecName.SNAPPY)
                .withRowGroupRowCountLimit(rowGroupRows)
                .withWriteMode(ParquetFileWriter.Mode.OVERWRITE)
                .build()) {
            for (long row = from; row < to; row++) {
                Group group = groups.newGroup()
                        .append("driver_id", row)
                        .append("trips", (int) trips(row))
                        .append("vip", isVip(row))
                        .append("ts", timeMs(row, endMs));
                Double rating = rating(row);
                writer.write(rating == null ? group : group.append("avg_rating", rating));
            }
        }
    }

    /** Snappy without Hadoop, which Parquet's own codecs need. */
    private static final class SnappyOnly implements CompressionCodecFactory {
        @Override
        public BytesInputCompressor getCompressor(CompressionCodecName codec) {
            return new BytesInputCompressor() {
                @Override
                public BytesInput compress(BytesInput bytes) throws IOException {
                    return BytesInput.from(Snappy.compress(bytes.toInputStream().readAllBytes()));
                }

                @Override
                public CompressionCodecName getCodecName() {
                    return CompressionCodecName.SNAPPY;
                }

                @Override
                public void release() {
                    // Nothing is held.
                }
            };
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
