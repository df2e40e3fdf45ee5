package io.thalweg.bench.ingest;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/**
 * Reads the messages of a file, each preceded by its length in four bytes. Messages stay in the buffer, because copies would
 * count as time of the rivals that read them.
 *
 * <p><b>Threads.</b> One.
 */
final class Frames implements Closeable {
    private static final int BUFFER_BYTES = 1 << 20;
    /** The most bytes of a message with its length; rides have a kilobyte. */
    private static final int MOST_BYTES = 1 << 14;

    private final InputStream in;
    private final byte[] data = new byte[BUFFER_BYTES];
    private final ByteBuffer buffer = ByteBuffer.wrap(data, 0, 0);
    private int from;

    Frames(InputStream in) {
        this.in = in;
    }

    /**
     * Moves to the next message; false if there is none.
     *
     * @throws RuntimeException if the last message is cut off
     */
    boolean next() throws IOException {
        if (buffer.remaining() < MOST_BYTES) {
            buffer.compact();
            int read = in.readNBytes(data, buffer.position(), buffer.remaining());
            buffer.position(buffer.position() + read).flip();
        }
        if (!buffer.hasRemaining()) {
            return false;
        }
        int length = buffer.getInt();
        from = buffer.position();
        buffer.position(from + length);
        return true;
    }

    /** The buffer of the message, valid until the next call of {@link #next}. */
    byte[] data() {
        return data;
    }

    int from() {
        return from;
    }

    int to() {
        return buffer.position();
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
