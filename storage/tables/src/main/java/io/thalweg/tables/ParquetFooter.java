package io.thalweg.tables;

import java.io.IOException;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.io.InputFile;

/** Reads the footer of a Parquet file. */
public final class ParquetFooter {
    private ParquetFooter() {}

    /**
     * Returns the number of rows of a file.
     *
     * @throws IOException if it is not a Parquet file
     */
    public static long rows(TableFile.Input file) throws IOException {
        return rows(ParquetStreams.of(file));
    }

    /**
     * Returns the number of rows of a file.
     *
     * @throws IOException if it is not a Parquet file, or is truncated
     */
    static long rows(InputFile file) throws IOException {
        ParquetReadOptions options = ParquetReadOptions.builder(new PlainParquetConfiguration())
                .withCodecFactory(new ParquetCodecs())
                .build();
        try (ParquetFileReader reader = ParquetFileReader.open(file, options)) {
            return reader.getRecordCount();
        } catch (RuntimeException | IOException e) {
            throw new IOException(file + " is not a whole Parquet file; delete it, or write it again", e);
        }
    }
}
