package io.thalweg.jobs.ingest.target;

import io.thalweg.tables.ParquetFooter;
import io.thalweg.tables.TableFile;
import java.io.IOException;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;

/**
 * Counts of the files that a job has completed, taken from their footers.
 *
 * @param files the number of files
 * @param rows the number of rows
 * @param bytes the total size
 */
public record WrittenFiles(int files, long rows, long bytes) {
    /** The suffix of the files that a job writes. */
    public static final String SUFFIX = ".parquet";

    /**
     * Counts the files of a folder, and of its partitions, whose names begin with a prefix.
     *
     * @param folder a path or a URI of one of Flink's file systems
     */
    public static WrittenFiles of(String folder, String prefix) throws IOException {
        Path path = new Path(folder);
        FileSystem system = path.getFileSystem();
        return system.exists(path) ? of(system, path, prefix) : new WrittenFiles(0, 0, 0);
    }

    /** Counts a file. */
    static WrittenFiles of(Path file) throws IOException {
        FileSystem system = file.getFileSystem();
        return of(system, system.getFileStatus(file));
    }

    private static WrittenFiles of(FileSystem system, FileStatus file) throws IOException {
        return new WrittenFiles(1, ParquetFooter.rows(new Input(system, file)), file.getLen());
    }

    private static WrittenFiles of(FileSystem system, Path folder, String prefix) throws IOException {
        WrittenFiles sum = new WrittenFiles(0, 0, 0);
        for (FileStatus file : system.listStatus(folder)) {
            String name = file.getPath().getName();
            if (file.isDir() && name.contains("=")) {
                sum = sum.plus(of(system, file.getPath(), prefix));
            } else if (!file.isDir() && name.startsWith(prefix) && name.endsWith(SUFFIX)) {
                sum = sum.plus(of(system, file));
            }
        }
        return sum;
    }

    private WrittenFiles plus(WrittenFiles more) {
        return new WrittenFiles(files + more.files, rows + more.rows, bytes + more.bytes);
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
