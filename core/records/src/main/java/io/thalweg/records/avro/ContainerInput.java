package io.thalweg.records.avro;

import io.thalweg.records.RecordFault;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;

/** A sequential input over a container file that tracks the offset. */
final class ContainerInput implements Closeable {
    private final BufferedInputStream in;
    private long offset;

    ContainerInput(InputStream in) {
        this.in = new BufferedInputStream(in, 1 << 16);
    }

    long offset() {
        return offset;
    }

    boolean isAtEnd() throws IOException {
        in.mark(1);
        boolean isAtEnd = in.read() < 0;
        in.reset();
        return isAtEnd;
    }

    /** Reads a signed variable-length number. */
    long readLong() throws IOException {
        long from = offset;
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            int next = in.read();
            if (next < 0) {
                throw damaged(offset, "the file ends within a number");
            }
            offset++;
            if (shift == 63 && next > 1) {
                break;
            }
            value |= (next & 0x7FL) << shift;
            if (next < 0x80) {
                return (value >>> 1) ^ -(value & 1);
            }
        }
        throw damaged(from, "a number must fit 64 bits");
    }

    /** Reads {@code length} bytes; memory grows as they arrive. */
    byte[] read(int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        offset += bytes.length;
        checkLength(length, bytes.length);
        return bytes;
    }

    /** Replaces the contents of a buffer with the next {@code length} bytes; memory grows as they arrive. */
    void readInto(BlockBuffer buffer, int length) throws IOException {
        buffer.length = 0;
        while (buffer.length < length) {
            if (buffer.room() == 0) {
                buffer.grow(length);
            }
            int read = in.read(buffer.bytes, buffer.length, Math.min(buffer.room(), length - buffer.length));
            if (read < 0) {
                checkLength(length, buffer.length);
            }
            buffer.length += read;
            offset += read;
        }
    }

    private void checkLength(int wanted, int read) throws IOException {
        if (read < wanted) {
            throw damaged(offset, "the file ends %d bytes too early".formatted(wanted - read));
        }
    }

    IOException damaged(long at, String problem) {
        return new DamagedContainerException(
                RecordFault.UNDECODABLE, "damaged Avro container at byte " + at + ": " + problem);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
