package io.thalweg.jobs.ingest;

import io.thalweg.tables.ParquetFooter;
import io.thalweg.tables.TableFile;
import java.io.IOException;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;

/**
 * The files that a job has completed, counted by what their footers say.
 *
 * @param files number of files
 * @param rows rows in them
 * @param bytes of them
 */
public record WrittenFiles(int files, long rows, long bytes) {
    /**
     * Counts the files of a folder whose names begin with a prefix.
     *
     * @param folder a path or a URI of one of Flink's file systems
     */
    public static WrittenFiles of(String folder, String prefix) throws IOException {
        Path path = new Path(folder);
        FileSystem system = path.getFileSystem();
        int files = 0;
        long rows = 0;
        long bytes = 0;
        FileStatus[] found = system.exists(path) ? system.listStatus(path) : new FileStatus[0];
        for (FileStatus file : found) {
            String name = file.getPath().getName();
            if (!file.isDir() && name.startsWith(prefix) && name.endsWith(RowOutput.SUFFIX)) {
                files++;
                rows += ParquetFooter.rows(new Input(system, file));
                bytes += file.getLen();
            }
        }
        return new WrittenFiles(files, rows, bytes);
    }

    private record Input(FileSystem system, FileStatus file) implements TableFile.Input {
        @Override
        public long length() {
            return file.getLen();
        }

        @Override
        public TableFile.Stream open() throws IOException {
            FSDataInputStream in = system.open(file.getPath());
            return new TableFile.Stream() {
                @Override
                public long position() throws IOException {
                    return in.getPos();
                }

                @Override
                public void seek(long position) throws IOException {
                    in.seek(position);
                }

                @Override
                public int read() throws IOException {
                    return in.read();
                }

                @Override
                public int read(byte[] into, int from, int length) throws IOException {
                    return in.read(into, from, length);
                }

                @Override
                public void close() throws IOException {
                    in.close();
                }
            };
        }

        @Override
        public String toString() {
            return file.getPath().toString();
        }
    }
}
