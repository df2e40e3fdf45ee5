package io.thalweg.records.envelope;

import com.github.luben.zstd.Zstd;
import io.thalweg.records.avro.AvroContainerWriter;
import io.thalweg.records.avro.AvroSchema;
import io.thalweg.records.thrift.Protocol;
import io.thalweg.records.thrift.StructList;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import org.jspecify.annotations.Nullable;
import org.xerial.snappy.Snappy;

/**
 * Packs messages into records, as {@link EnvelopeOpener} opens them.
 *
 * <p><b>Threads.</b> One.
 */
public final class EnvelopeSealer {
    /** The longest head of a Thrift list, in bytes. */
    private static final int LONGEST_HEAD = 6;

    private final Envelope envelope;
    private final @Nullable AvroSchema schema;
    private final ByteArrayOutputStream packed = new ByteArrayOutputStream();
    private @Nullable AvroContainerWriter container;
    private int messages;

    /** Creates a sealer for an envelope other than an Avro container. */
    public EnvelopeSealer(Envelope envelope) {
        this(envelope, null);
    }

    /**
     * Creates a sealer.
     *
     * @param schema of the messages of an Avro container; null for other envelopes
     */
    public EnvelopeSealer(Envelope envelope, @Nullable AvroSchema schema) {
        this.envelope = envelope;
        this.schema = schema;
    }

    /** Returns whether a record may hold several messages. */
    public boolean takesSeveral() {
        return envelope.messages() != Envelope.Messages.ONE;
    }

    /** Adds a message to the record; under {@code LINES}, it must not contain a line end. */
    public void add(byte[] data, int from, int to) {
        messages++;
        switch (envelope.messages()) {
            case LENGTH_PREFIXED -> writeInt(packed, to - from);
            case AVRO_CONTAINER -> {
                addObject(data, from, to);
                return;
            }
            case ONE, LINES, THRIFT_LIST, THRIFT_COMPACT_LIST -> {}
        }
        packed.write(data, from, to - from);
        if (envelope.messages() == Envelope.Messages.LINES) {
            packed.write('\n');
        }
    }

    private void addObject(byte[] data, int from, int to) {
        try {
            if (container == null) {
                container = new AvroContainerWriter(Objects.requireNonNull(schema), packed);
            }
            container.add(data, from, to);
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
    }

    /** Writes a length in four bytes, big-endian. */
    public static void writeInt(ByteArrayOutputStream out, int length) {
        out.write(length >>> 24);
        out.write(length >>> 16);
        out.write(length >>> 8);
        out.write(length);
    }

    /** Ends the record and starts the next. */
    public byte[] seal() {
        return seal(envelope.compression());
    }

    /** Ends the record with a compression other than the envelope's, and starts the next. */
    public byte[] seal(Envelope.Compression compression) {
        try {
            byte[] record = takeMessages();
            return switch (compression) {
                case NONE -> record;
                case ZSTD -> Zstd.compress(record);
                case SNAPPY -> Snappy.compress(record);
                case LZ4, GZIP, ZLIB -> streamed(compression, record);
            };
        } catch (IOException e) {
            throw new UncheckedIOException("compressing in memory failed", e);
        }
    }

    private byte[] takeMessages() throws IOException {
        if (container != null) {
            container.close();
            container = null;
        }
        ByteArrayOutputStream record = new ByteArrayOutputStream(packed.size() + LONGEST_HEAD);
        switch (envelope.messages()) {
            case THRIFT_LIST -> StructList.writeHead(Protocol.BINARY, messages, record);
            case THRIFT_COMPACT_LIST -> StructList.writeHead(Protocol.COMPACT, messages, record);
            case ONE, LENGTH_PREFIXED, LINES, AVRO_CONTAINER -> {}
        }
        packed.writeTo(record);
        packed.reset();
        messages = 0;
        return record.toByteArray();
    }

    private static byte[] streamed(Envelope.Compression compression, byte[] record) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (OutputStream compressor = switch (compression) {
            case LZ4 -> new LZ4FrameOutputStream(out);
            case GZIP -> new GZIPOutputStream(out);
            default -> new DeflaterOutputStream(out);
        }) {
            compressor.write(record);
        }
        return out.toByteArray();
    }
}
