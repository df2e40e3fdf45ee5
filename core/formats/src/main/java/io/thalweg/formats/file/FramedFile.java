package io.thalweg.formats.file;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.ClaimedSize;
import io.thalweg.records.Limits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file of records, each after its length in four bytes, big-endian. Positions are bytes. An impossible length ends the file:
 * the rest is reported as one damaged record, because no later record can be found.
 */
final class FramedFile extends RecordFile {
    private static final int HEADER = 4;

    private final String name;
    private final FileChannel channel;
    private final long size;
    private final int maxMessage;
    private long next;

    FramedFile(Path path, Limits limits) throws IOException {
        name = path.toString();
        maxMessage = limits.message();
        channel = FileChannel.open(path);
        size = channel.size();
    }

    @Override
    void skipTo(long position) {
        next = position;
    }

    @Override
    @Nullable
    public RawBlock read(int most) throws IOException {
        if (next >= size) {
            return null;
        }
        RawBlock block = new RawBlock(name, null);
        byte[] chunk = bytes(next, Math.max(BLOCK_BYTES, HEADER + maxMessage));
        int at = 0;
        while (at < chunk.length && block.size() < most) {
            if (chunk.length - at < HEADER) {
                return atEnd(chunk.length) ? damaged(block, chunk, at, "the file ends within a length") : block;
            }
            int length = ByteBuffer.wrap(chunk, at, HEADER).getInt();
            if (length < 0 || length > size - next - HEADER) {
                return damaged(
                        block,
                        chunk,
                        at,
                        "the record at byte %d claims %s bytes, but %d are left in the file"
                                .formatted(next, ClaimedSize.text(length), size - next - HEADER));
            }
            if (length > maxMessage) {
                return tooLarge(block, length);
            }
            if (length > chunk.length - at - HEADER) {
                return block;
            }
            block.add(chunk, at + HEADER, at + HEADER + length, length, next);
            at += HEADER + length;
            next += HEADER + length;
        }
        return block;
    }

    private boolean atEnd(int chunkLength) {
        return size - next < HEADER || chunkLength < HEADER;
    }

    private RawBlock tooLarge(RawBlock block, int length) throws IOException {
        byte[] kept = bytes(next + HEADER, Math.min(length, KEPT_BYTES));
        block.add(kept, 0, kept.length, length, next);
        next += HEADER + length;
        return block;
    }

    private RawBlock damaged(RawBlock block, byte[] chunk, int at, String why) {
        int kept = Math.min(chunk.length - at, KEPT_BYTES);
        block.addDamaged(chunk, at, at + kept, size - next, next, BadRecordException.undecodable(why));
        next = size;
        return block;
    }

    private byte[] bytes(long from, int most) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(most, size - from));
        long at = from;
        while (bytes.hasRemaining()) {
            int read = channel.read(bytes, at);
            if (read < 0) {
                throw new IOException(name + " has become shorter while it was read");
            }
            at += read;
        }
        return bytes.array();
    }

    @Override
    public long next() {
        return next;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
