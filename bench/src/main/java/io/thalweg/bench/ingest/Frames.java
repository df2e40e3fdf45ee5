package io.thalweg.bench.ingest;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * The messages of a file, one after the other, each in place in a buffer, behind a length in four bytes.
 *
 * <p><b>Threads.</b> One.
 */
final class Frames implements Closeable {
    private static final int BUFFER_BYTES = 1 << 20;

    private final InputStream in;
    private byte[] data = new byte[BUFFER_BYTES];
    private int end;
    private int from;
    private int to;
    private int next;

    Frames(InputStream in) {
        this.in = in;
    }

    /** Moves to the next message; false if there is none. */
    boolean next() throws IOException {
        if (!require(Integer.BYTES)) {
            return false;
        }
        int length = ByteBuffer.wrap(data, next, Integer.BYTES).getInt();
        if (!require(Integer.BYTES + length)) {
            throw new EOFException("the last message is cut off");
        }
        from = next + Integer.BYTES;
        to = from + length;
        next = to;
        return true;
    }

    /** Reads on until so many bytes of the next message are there; false if the file ends before the first of them. */
    private boolean require(int bytes) throws IOException {
        if (end - next >= bytes) {
            return true;
        }
        byte[] old = data;
        if (bytes > data.length) {
            data = new byte[Math.max(bytes, 2 * data.length)];
        }
        System.arraycopy(old, next, data, 0, end - next);
        end -= next;
        next = 0;
        while (end < bytes) {
            int read = in.read(data, end, data.length - end);
            if (read < 0) {
                if (end > 0) {
                    throw new EOFException("the last message is cut off");
                }
                return false;
            }
            end += read;
        }
        return true;
    }

    /** Where the message is, until the next call of {@link #next}. */
    byte[] data() {
        return data;
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
