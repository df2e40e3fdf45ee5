package io.thalweg.records.avro;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.ClaimedSize;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.schema.SchemaException;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Reads the blocks of an object container file in order. {@link AvroReader#readOne} reads the records of a block, which together
 * fill the block:
 *
 * <pre>{@code
 * while (container.next()) {
 *     int at = container.from();
 *     for (long i = 0; i < container.count(); i++) {
 *         at = reader.readOne(container.data(), at, container.to(), writer);
 *     }
 * }
 * }</pre>
 *
 * <p><b>Codecs.</b> {@code null}, {@code deflate}, {@code snappy} and {@code zstandard}.
 *
 * <p><b>Limits.</b> The header and each block, compressed or not, have at most {@link Limits#inflated} bytes. All blocks so far
 * may exceed that by {@link Limits#ratio} times the bytes of the file so far. Memory grows with the bytes that the file contains,
 * not with the length that it claims.
 *
 * <p><b>Errors.</b> {@link DamagedContainerException} for damage, with its offset in the file; {@link BadRecordException} with
 * {@link RecordFault#INFLATED_TOO_LARGE} beyond the limits. The container cannot be used after either.
 *
 * <p><b>Threads.</b> One.
 */
public final class AvroContainer implements Closeable {
    private static final byte[] MAGIC = {'O', 'b', 'j', 1};
    private static final int SYNC_SIZE = 16;

    private final ContainerInput in;
    private final Limits limits;
    private final AvroSchema schema;
    private final BlockCodec codec;
    private final byte[] sync;
    private final int smallest;
    private final BlockBuffer compressed = new BlockBuffer();
    private final BlockBuffer inflated = new BlockBuffer();
    private BlockBuffer block = inflated;
    private long inflatedBytes;
    private long count;

    /**
     * Reads the header of a file.
     *
     * @param stream need not be buffered; closed by {@link #close}
     * @throws DamagedContainerException if the stream is not a container, its header is damaged, or its codec is not supported
     * @throws SchemaException if its schema cannot be used
     */
    public AvroContainer(InputStream stream, Limits limits) throws IOException {
        this.in = new ContainerInput(stream);
        this.limits = limits;
        if (!Arrays.equals(in.read(MAGIC.length), MAGIC)) {
            throw in.damaged(0, "an Avro container must start with 'Obj' and the byte 1");
        }
        Map<String, byte[]> metadata = readMetadata();
        byte[] json = metadata.get("avro.schema");
        if (json == null) {
            throw in.damaged(0, "the header must have an entry 'avro.schema'");
        }
        this.sync = in.read(SYNC_SIZE);
        this.schema = AvroSchema.parse(new String(json, StandardCharsets.UTF_8));
        this.smallest = new Skips().smallest(schema.schema());
        byte[] named = metadata.getOrDefault("avro.codec", "null".getBytes(StandardCharsets.UTF_8));
        this.codec = BlockCodec.of(new String(named, StandardCharsets.UTF_8));
    }

    /** Reads the header of a file that {@code data} holds in {@code [from, to)}. */
    public AvroContainer(byte[] data, int from, int to, Limits limits) throws IOException {
        this(new ByteArrayInputStream(data, from, to - from), limits);
    }

    private Map<String, byte[]> readMetadata() throws IOException {
        Map<String, byte[]> metadata = new HashMap<>();
        long entries;
        while ((entries = in.readLong()) != 0) {
            if (entries < 0) {
                entries = -entries;
                in.readLong();
            }
            for (long i = 0; i < entries || entries < 0; i++) {
                String key = new String(in.read(headerLength()), StandardCharsets.UTF_8);
                metadata.put(key, in.read(headerLength()));
            }
        }
        return metadata;
    }

    private int headerLength() throws IOException {
        long at = in.offset();
        long length = in.readLong();
        if (length < 0) {
            throw in.damaged(at, "a length must be at least 0, was negative");
        }
        if (length > limits.inflated() - at) {
            throw tooLarge("the header at byte " + at, limits.inflated());
        }
        return (int) length;
    }

    /** The schema that the records were written with. */
    public AvroSchema schema() {
        return schema;
    }

    /**
     * Moves to the next block.
     *
     * @return whether there was one
     */
    public boolean next() throws IOException {
        long start = in.offset();
        if (in.isAtEnd()) {
            return false;
        }
        count = in.readLong();
        int size = blockSize();
        in.readInto(compressed, size);
        if (!Arrays.equals(in.read(SYNC_SIZE), sync)) {
            throw in.damaged(in.offset() - SYNC_SIZE, "the block must end with the file's sync marker");
        }
        inflate(start);
        checkCount(start);
        return true;
    }

    private int blockSize() throws IOException {
        long at = in.offset();
        long size = in.readLong();
        if (size < 0) {
            throw in.damaged(at, "the size of a block must be at least 0, was negative");
        }
        if (size > limits.inflated()) {
            throw tooLarge("the block at byte " + at, limits.inflated());
        }
        return (int) size;
    }

    private void inflate(long start) throws IOException {
        long most = Math.min(limits.inflated(), limits.inflated() + limits.ratio() * in.offset() - inflatedBytes);
        try {
            block = codec.inflate(compressed, inflated, (int) most);
        } catch (BlockCodec.DamagedBlockException e) {
            throw in.damaged(start, "the block cannot be decompressed: " + e.getMessage());
        }
        if (block.length > most) {
            throw tooLarge("the block at byte " + start, most);
        }
        inflatedBytes += block.length;
    }

    private void checkCount(long start) throws IOException {
        long most = smallest == 0 ? AvroReader.mostFree(limits) : block.length / smallest;
        if (count < 0 || count > most || (count == 0 && block.length > 0)) {
            throw in.damaged(
                    start,
                    count < 0
                            ? "the count of a block must be at least 0, was negative"
                            : "a block of %d bytes cannot hold %s records"
                                    .formatted(block.length, ClaimedSize.text(count)));
        }
    }

    private static BadRecordException tooLarge(String part, long most) {
        return new BadRecordException(
                RecordFault.INFLATED_TOO_LARGE,
                part + " must have at most " + most
                        + " bytes; raise limits.inflated, or limits.ratio if the file is dense");
    }

    /** The array that holds the current block; valid until {@link #next}. */
    public byte[] data() {
        return block.bytes;
    }

    /** The start of the block in {@link #data}. */
    public int from() {
        return 0;
    }

    /** The end of the block in {@link #data}. */
    public int to() {
        return block.length;
    }

    /** The number of records in the block. */
    public long count() {
        return count;
    }

    @Override
    public void close() throws IOException {
        codec.close();
        in.close();
    }
}
