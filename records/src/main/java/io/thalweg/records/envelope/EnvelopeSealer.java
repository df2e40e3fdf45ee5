package io.thalweg.records.envelope;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.xerial.snappy.Snappy;

/**
 * Packs messages into records, as {@link EnvelopeOpener} opens them.
 *
 * <p><b>Threads.</b> One.
 */
public final class EnvelopeSealer {
    private final Envelope envelope;
    private final ByteArrayOutputStream packed = new ByteArrayOutputStream();

    public EnvelopeSealer(Envelope envelope) {
        this.envelope = envelope;
    }

    /** Whether a record may hold several messages. */
    public boolean takesSeveral() {
        return envelope.messages() != Envelope.Messages.ONE;
    }

    /** Adds a message to the record; of {@code LINES}, without a line end in it. */
    public void add(byte[] data, int from, int to) {
        if (envelope.messages() == Envelope.Messages.LENGTH_PREFIXED) {
            writeInt(packed, to - from);
        }
        packed.write(data, from, to - from);
        if (envelope.messages() == Envelope.Messages.LINES) {
            packed.write('\n');
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
        byte[] messages = packed.toByteArray();
        packed.reset();
        try {
            return switch (envelope.compression()) {
                case NONE -> messages;
                case ZSTD -> Zstd.compress(messages);
                case SNAPPY -> Snappy.compress(messages);
                case GZIP, ZLIB -> deflated(messages);
            };
        } catch (IOException e) {
            throw new UncheckedIOException("compressing in memory failed", e);
        }
    }

    private byte[] deflated(byte[] messages) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (OutputStream deflater = envelope.compression() == Envelope.Compression.GZIP
                ? new GZIPOutputStream(out)
                : new DeflaterOutputStream(out)) {
            deflater.write(messages);
        }
        return out.toByteArray();
    }
}
