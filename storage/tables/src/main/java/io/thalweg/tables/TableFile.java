package io.thalweg.tables;

import java.io.IOException;
import java.io.InputStream;

/** Access to a file of any file system, as Parquet needs it. */
public final class TableFile {
    private TableFile() {}

    /** A file that is being written. Writers do not close it. */
    public interface Output {
        void write(byte[] data, int from, int length) throws IOException;

        /** Returns the number of bytes written. */
        long position() throws IOException;

        void flush() throws IOException;
    }

    /** A file that can be read from any position. */
    public interface Input {
        long length();

        Stream open() throws IOException;
    }

    /** A stream with a position. */
    public abstract static class Stream extends InputStream {
        public abstract long position() throws IOException;

        public abstract void seek(long position) throws IOException;
    }
}
