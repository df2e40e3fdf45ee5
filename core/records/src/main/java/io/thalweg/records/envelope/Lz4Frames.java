package io.thalweg.records.envelope;

import io.thalweg.records.ClaimedSize;
import java.io.IOException;
import net.jpountz.xxhash.XXHash32;
import net.jpountz.xxhash.XXHashFactory;

/**
 * Decompresses LZ4's frame format: one or more consecutive frames, with all kinds of blocks except those that need a dictionary.
 * All checksums that a frame contains must match.
 *
 * <p>Blocks are decoded here because {@code lz4-java} does not support blocks that refer to earlier ones, the default of LZ4's C
 * library and of Python. All blocks are decoded into one array, so such references need no extra work.
 *
 * <p><b>Errors.</b> {@link IOException} for damage; beyond the limits, that of {@link InflatedBytes}.
 *
 * <p><b>Threads.</b> One.
 */
final class Lz4Frames {
    private static final int MAGIC = 0x184D2204;
    private static final int VERSION = 0x40;
    private static final int VERSION_BITS = 0xC0;
    private static final int INDEPENDENT = 0x20;
    private static final int BLOCK_CHECKSUM = 0x10;
    private static final int CONTENT_SIZE = 0x08;
    private static final int CONTENT_CHECKSUM = 0x04;
    private static final int DICTIONARY = 0x01;
    private static final int RESERVED = 0x02;
    private static final int UNCOMPRESSED = 0x8000_0000;

    /** Code 4 means 64 KiB; each increment means four times as much. */
    private static final int SMALLEST_BLOCK = 4;

    private static final int LARGEST_BLOCK = 7;
    private static final int SHORTEST_MATCH = 4;
    /** A length that does not fit into the token continues in the bytes after it. */
    private static final int LONG_LENGTH = 15;

    private final XXHash32 hash = XXHashFactory.fastestInstance().hash32();
    private final InflatedBytes out;
    private byte[] data = {};
    private int at;
    private int end;
    private int flags;
    private int mostOfBlock;
    private int frameStart;

    Lz4Frames(InflatedBytes out) {
        this.out = out;
    }

    /** Appends the contents of a record. */
    void inflate(byte[] record, int from, int to) throws IOException {
        data = record;
        at = from;
        end = to;
        try {
            do {
                frame();
            } while (at < end);
        } finally {
            data = new byte[0];
        }
    }

    private void frame() throws IOException {
        frameStart = out.length;
        long size = header();
        for (int block = nextInt(); block != 0; block = nextInt()) {
            block(block);
        }
        int inflated = out.length - frameStart;
        if (size >= 0 && size != inflated) {
            throw new IOException("its header claims %d bytes, and it has %d".formatted(size, inflated));
        }
        if (has(CONTENT_CHECKSUM)) {
            checkHash(out.data, frameStart, inflated);
        }
    }

    /** Returns the size of the content, or -1 if the header does not state it. */
    private long header() throws IOException {
        if (nextInt() != MAGIC) {
            throw new IOException("a frame must begin with the bytes 04 22 4D 18");
        }
        int begin = at;
        flags = nextByte();
        int sizes = nextByte();
        int largest = sizes >>> 4;
        if ((flags & VERSION_BITS) != VERSION
                || has(RESERVED)
                || (sizes & 0x0F) != 0
                || largest < SMALLEST_BLOCK
                || largest > LARGEST_BLOCK) {
            throw new IOException("the header of a frame is not one of version 1");
        }
        mostOfBlock = 1 << (2 * largest + 8);
        long size = has(CONTENT_SIZE) ? nextLong() : -1;
        if (has(DICTIONARY)) {
            throw new IOException("a frame needs a dictionary");
        }
        int wanted = hash.hash(data, begin, at - begin, 0) >>> 8 & 0xFF;
        if (nextByte() != wanted) {
            throw new IOException("the header of a frame has a wrong checksum");
        }
        if (size >= 0) {
            out.need(size);
        }
        return size;
    }

    private boolean has(int flag) {
        return (flags & flag) != 0;
    }

    private void block(int head) throws IOException {
        int size = head & ~UNCOMPRESSED;
        if (size > mostOfBlock) {
            throw new IOException("a block claims %d bytes of at most %d".formatted(size, mostOfBlock));
        }
        need(size);
        int begin = at;
        if ((head & UNCOMPRESSED) != 0) {
            out.add(data, at, size);
        } else {
            decode(begin, begin + size);
        }
        at = begin + size;
        if (has(BLOCK_CHECKSUM)) {
            checkHash(data, begin, size);
        }
    }

    /** Decodes a block: sequences of literal bytes, each but the last followed by a match, which repeats earlier bytes. */
    private void decode(int begin, int to) throws IOException {
        int blockStart = out.length;
        int firstRepeatable = has(INDEPENDENT) ? blockStart : frameStart;
        at = begin;
        while (true) {
            int token = byteOf(to);
            long literals = length(token >>> 4, to);
            if (literals > to - at) {
                throw new IOException("a block ends within its literal bytes");
            }
            checkRoom(blockStart, literals);
            out.add(data, at, (int) literals);
            at += (int) literals;
            if (at == to) {
                return;
            }
            int back = byteOf(to) | byteOf(to) << 8;
            if (back == 0 || back > out.length - firstRepeatable) {
                throw new IOException("a match begins before the first byte");
            }
            long match = SHORTEST_MATCH + length(token & LONG_LENGTH, to);
            checkRoom(blockStart, match);
            out.need(match);
            out.repeat(back, (int) match);
        }
    }

    private long length(int ofToken, int to) throws IOException {
        long length = ofToken;
        if (ofToken == LONG_LENGTH) {
            int more;
            do {
                more = byteOf(to);
                length += more;
            } while (more == 0xFF);
        }
        return length;
    }

    private void checkRoom(int blockStart, long more) throws IOException {
        if (out.length - blockStart + more > mostOfBlock) {
            throw new IOException("a block inflates to more than %d bytes".formatted(mostOfBlock));
        }
    }

    private int byteOf(int to) throws IOException {
        if (at >= to) {
            throw new IOException("a block ends too early");
        }
        return data[at++] & 0xFF;
    }

    private void checkHash(byte[] of, int from, int length) throws IOException {
        if (nextInt() != hash.hash(of, from, length, 0)) {
            throw new IOException("a checksum is wrong");
        }
    }

    private void need(int bytes) throws IOException {
        if (bytes > end - at) {
            throw new IOException("it ends too early");
        }
    }

    private int nextByte() throws IOException {
        need(1);
        return data[at++] & 0xFF;
    }

    private int nextInt() throws IOException {
        need(Integer.BYTES);
        at += Integer.BYTES;
        return (data[at - 4] & 0xFF) | (data[at - 3] & 0xFF) << 8 | (data[at - 2] & 0xFF) << 16 | data[at - 1] << 24;
    }

    private long nextLong() throws IOException {
        long low = nextInt() & 0xFFFF_FFFFL;
        long value = low | (long) nextInt() << 32;
        if (value < 0) {
            throw new IOException("the header of a frame claims %s bytes".formatted(ClaimedSize.text(value)));
        }
        return value;
    }
}
