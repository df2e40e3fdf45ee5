package io.thalweg.jobs.ingest;

import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.schema.Struct;
import io.thalweg.tables.ParquetFileBuilder;
import io.thalweg.tables.TableFile;
import java.io.IOException;
import org.apache.flink.api.common.serialization.BulkWriter;
import org.apache.flink.core.fs.FSDataOutputStream;

/**
 * Writes batches of rows to Parquet files of Flink's file sink.
 *
 * @param rowGroupBytes after how many bytes in memory a row group is written
 */
record ParquetBulk(Struct table, ParquetFileBuilder.Compression compression, long rowGroupBytes)
        implements BulkWriter.Factory<ColumnBatch> {
    @Override
    public BulkWriter<ColumnBatch> create(FSDataOutputStream out) throws IOException {
        return new Writer(new ParquetFileBuilder(new Part(out), table, compression, rowGroupBytes), out);
    }

    private record Writer(ParquetFileBuilder file, FSDataOutputStream out) implements BulkWriter<ColumnBatch> {
        @Override
        public void addElement(ColumnBatch batch) throws IOException {
            file.add(batch);
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void finish() throws IOException {
            file.finish();
            out.flush();
        }
    }

    /** The stream of a part file; the file sink closes it. */
    private record Part(FSDataOutputStream out) implements TableFile.Output {
        @Override
        public void write(byte[] data, int from, int length) throws IOException {
            out.write(data, from, length);
        }

        @Override
        public long position() throws IOException {
            return out.getPos();
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }
    }
}
