package io.thalweg.tables;

import java.io.IOException;
import java.io.OutputStream;

/** Writes a file to a stream, from its beginning. */
public final class StreamOutput implements TableFile.Output {
    private final OutputStream out;
    private long position;

    public StreamOutput(OutputStream out) {
        this.out = out;
    }

    @Override
    public void write(byte[] data, int from, int length) throws IOException {
        out.write(data, from, length);
        position += length;
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }
}
