package io.thalweg.jobs.ingest.target;

import io.thalweg.records.schema.Struct;
import io.thalweg.tables.OpenFileLimits;
import io.thalweg.tables.ParquetFileBuilder;
import io.thalweg.tables.TableFile;
import java.io.IOException;
import org.apache.flink.api.common.serialization.BulkWriter;
import org.apache.flink.core.fs.FSDataOutputStream;
import org.jspecify.annotations.Nullable;

/** Writes rows to Parquet files of Flink's file sink. */
public record ParquetBulk(Struct table, ParquetFileBuilder.Compression compression, OpenFolders open)
        implements BulkWriter.Factory<FolderRows> {
    @Override
    public BulkWriter<FolderRows> create(FSDataOutputStream out) throws IOException {
        return new Writer(
                new ParquetFileBuilder(new Part(out), table, compression, OpenFileLimits.ROW_GROUP_BYTES), out, open);
    }

    /** Writes one file; all its rows belong to one folder. */
    private static final class Writer implements BulkWriter<FolderRows> {
        private final ParquetFileBuilder file;
        private final FSDataOutputStream out;
        private final OpenFolders open;
        private @Nullable String folder;

        Writer(ParquetFileBuilder file, FSDataOutputStream out, OpenFolders open) {
            this.file = file;
            this.out = out;
            this.open = open;
        }

        @Override
        public void addElement(FolderRows batch) throws IOException {
            if (folder == null) {
                folder = batch.folder();
                open.files().opened(folder, file);
            }
            file.add(batch.rows());
            open.files().written(folder);
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void finish() throws IOException {
            if (folder != null) {
                open.files().closed(folder);
            }
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
