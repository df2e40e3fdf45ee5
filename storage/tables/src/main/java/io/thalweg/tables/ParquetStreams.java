package io.thalweg.tables;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.parquet.io.DelegatingSeekableInputStream;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;
import org.apache.parquet.io.SeekableInputStream;

/** Lets Parquet read and write files of any file system. */
final class ParquetStreams {
    private ParquetStreams() {}

    static OutputFile of(TableFile.Output out) {
        return new Output(out);
    }

    static InputFile of(TableFile.Input in) {
        return new Input(in);
    }

    private record Output(TableFile.Output out) implements OutputFile {
        @Override
        public PositionOutputStream create(long blockSizeHint) {
            return new PositionOutputStream() {
                @Override
                public long getPos() throws IOException {
                    return out.position();
                }

                @Override
                public void write(int b) throws IOException {
                    write(new byte[] {(byte) b}, 0, 1);
                }

                @Override
                public void write(byte[] bytes, int from, int length) throws IOException {
                    out.write(bytes, from, length);
                }

                @Override
                public void flush() throws IOException {
                    out.flush();
                }

                @Override
                public void close() throws IOException {
                    out.flush();
                }
            };
        }

        @Override
        public PositionOutputStream createOrOverwrite(long blockSizeHint) {
            return create(blockSizeHint);
        }

        @Override
        public boolean supportsBlockSize() {
            return false;
        }

        @Override
        public long defaultBlockSize() {
            return 0;
        }
    }

    private record Input(TableFile.Input in) implements InputFile {
        @Override
        public long getLength() {
            return in.length();
        }

        @Override
        public SeekableInputStream newStream() throws IOException {
            TableFile.Stream stream = in.open();
            return new DelegatingSeekableInputStream(stream) {
                @Override
                public long getPos() {
                    try {
                        return stream.position();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }

                @Override
                public void seek(long position) throws IOException {
                    stream.seek(position);
                }
            };
        }

        @Override
        public String toString() {
            return in.toString();
        }
    }
}
