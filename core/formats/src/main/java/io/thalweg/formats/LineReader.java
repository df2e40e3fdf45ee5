package io.thalweg.formats;

import io.thalweg.model.source.Source;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * Splits a stream into records, one per line: lines end with {@code \n} or {@code \r\n}, optional for the last one; empty lines
 * and a byte order mark at the beginning are skipped. In CSV, a quoted field may contain line ends.
 *
 * <p><b>Bytes.</b> A record is a slice: {@link #bytes()}, {@link #offset()}, {@link #length()}. Slices stay valid and unchanged
 * forever, so a batch may refer to them: the bytes of an array are never overwritten.
 *
 * <p><b>Too large.</b> A record over the bound, {@link EventDecoder#MAX_RECORD_BYTES} unless another is given, is read to its end
 * without being kept: {@link #isTooLarge()}, its first {@value #KEPT_BYTES} bytes and {@link #totalLength()}.
 *
 * <p><b>Compression.</b> gzip, detected by its first two bytes; a name that ends in {@code .gz} requires it unless there are no
 * bytes. Truncated or damaged
 * data causes an {@link IOException} that names the input. <b>Threads.</b> One.
 */
public final class LineReader implements Closeable {
    /** The number of bytes that are kept of a record that is too large. */
    public static final int KEPT_BYTES = 256 * 1024;

    private static final int CHUNK_BYTES = 256 * 1024;
    private final InputStream in;
    private final String name;
    private final boolean quotes;
    private final int maxBytes;

    private byte[] chunk = new byte[CHUNK_BYTES];
    /** Bytes {@code position … limit} of the chunk were read but not returned yet. */
    private int position;

    private int limit;
    private boolean ended;
    /** Bytes of the stream before the chunk's index 0. */
    private long chunkStart;

    private byte[] record = chunk;
    private int offset;
    private int length;
    private long totalLength;
    private long recordStart;
    private long lineNumber;
    private long nextLineNumber = 1;

    // The state of the CSV parser before the next byte.
    private boolean insideQuotes;
    private boolean fieldBegins = true;

    private LineReader(InputStream in, String name, boolean quotes, int maxBytes) throws IOException {
        this.in = in;
        this.name = name;
        this.quotes = quotes;
        this.maxBytes = maxBytes;
        skipByteOrderMark();
    }

    /**
     * Opens a file.
     *
     * @throws IOException if it cannot be read, or is named {@code .gz} and is not gzip
     */
    public static LineReader open(Path file, Source.Format format) throws IOException {
        InputStream in = Files.newInputStream(file);
        try {
            return of(in, file.toString(), format);
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    /**
     * Reads a stream, which is closed with the reader.
     *
     * @param name the name of the stream in messages
     */
    public static LineReader of(InputStream in, String name, Source.Format format) throws IOException {
        return of(in, name, format == Source.Format.CSV, EventDecoder.MAX_RECORD_BYTES);
    }

    /**
     * Reads lines of a stream, which is closed with the reader; quotes have no meaning.
     *
     * @param maxBytes of a record that is not too large
     */
    public static LineReader of(InputStream in, String name, int maxBytes) throws IOException {
        return of(in, name, false, maxBytes);
    }

    private static LineReader of(InputStream in, String name, boolean quotes, int maxBytes) throws IOException {
        PushbackInputStream peeked = new PushbackInputStream(in, 2);
        byte[] magic = peeked.readNBytes(2);
        peeked.unread(magic);
        boolean gzip = magic.length == 2 && (magic[0] & 0xFF) == 0x1F && (magic[1] & 0xFF) == 0x8B;
        if (!gzip && magic.length > 0 && name.endsWith(".gz")) {
            throw new IOException(name + ": not in gzip format, though its name ends in .gz; rename or compress it");
        }
        try {
            return new LineReader(gzip ? new GZIPInputStream(peeked, CHUNK_BYTES) : peeked, name, quotes, maxBytes);
        } catch (EOFException e) {
            throw endsTooEarly(name, e);
        } catch (ZipException e) {
            throw damaged(name, e);
        }
    }

    /**
     * Moves to the next record.
     *
     * @return false at the end of the stream
     * @throws IOException if the stream cannot be read; the message names it
     */
    public boolean next() throws IOException {
        while (true) {
            if (!nextLine()) {
                return false;
            }
            if (totalLength > 0) {
                return true;
            }
        }
    }

    /** The array that holds the record. */
    public byte[] bytes() {
        return record;
    }

    /** Where in {@link #bytes()} the record begins. */
    public int offset() {
        return offset;
    }

    /** The number of bytes available, without the line's end: the whole record, or the first bytes of one that is too large. */
    public int length() {
        return length;
    }

    /** Whether the record is larger than allowed. */
    public boolean isTooLarge() {
        return totalLength > maxBytes;
    }

    /** The record's true length in bytes, without the line's end. */
    public long totalLength() {
        return totalLength;
    }

    /** The line on which the record begins, from 1; empty lines count. */
    public long lineNumber() {
        return lineNumber;
    }

    /** Where the record begins in the uncompressed stream, in bytes from 0. */
    public long byteOffset() {
        return recordStart;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    private boolean nextLine() throws IOException {
        lineNumber = nextLineNumber;
        recordStart = chunkStart + position;
        insideQuotes = false;
        fieldBegins = true;
        int seen = position;
        while (true) {
            int end = findEnd(seen);
            if (end >= 0) {
                nextLineNumber++;
                take(end);
                position = end + 1;
                return true;
            }
            // One byte more than a record, for the \r before its end.
            if (limit - position > maxBytes + 1) {
                return skipTooLarge();
            }
            int held = limit - position;
            if (!fill()) {
                take(limit);
                position = limit;
                return held > 0;
            }
            seen = position + held;
        }
    }

    /** Returns {@code position … end} as the record, without a {@code \r} before the end. */
    private void take(int end) {
        int last = end > position && chunk[end - 1] == '\r' ? end - 1 : end;
        record = chunk;
        offset = position;
        length = last - position;
        totalLength = length;
        if (isTooLarge()) {
            length = kept();
        }
    }

    private int kept() {
        return Math.min(KEPT_BYTES, maxBytes);
    }

    /** Keeps the first bytes of the record and counts the others up to its end. */
    private boolean skipTooLarge() throws IOException {
        record = Arrays.copyOfRange(chunk, position, position + kept());
        offset = 0;
        length = kept();
        long total = (long) limit - position;
        boolean returned = chunk[limit - 1] == '\r';
        while (true) {
            position = limit;
            if (!fill()) {
                break;
            }
            int end = findEnd(position);
            int to = end < 0 ? limit : end;
            total += to - position;
            returned = to > position ? chunk[to - 1] == '\r' : returned;
            if (end >= 0) {
                nextLineNumber++;
                position = end + 1;
                break;
            }
        }
        totalLength = total - (returned ? 1 : 0);
        return true;
    }

    /** Returns the line end at or after {@code from}, or -1 if it is not in the chunk yet. */
    private int findEnd(int from) {
        if (quotes) {
            return findEndOutsideQuotes(from);
        }
        for (int at = from; at < limit; at++) {
            if (chunk[at] == '\n') {
                return at;
            }
        }
        return -1;
    }

    /** Finds the line end outside quotes. Only a quote at the beginning of a field opens; a doubled one closes and reopens. */
    private int findEndOutsideQuotes(int from) {
        for (int at = from; at < limit; at++) {
            byte b = chunk[at];
            if (insideQuotes) {
                insideQuotes = b != '"';
                // After a closing quote, only another quote may reopen: the field continues.
                fieldBegins = b == '"';
                nextLineNumber += b == '\n' ? 1 : 0;
            } else if (b == '\n') {
                return at;
            } else {
                insideQuotes = b == '"' && fieldBegins;
                fieldBegins = b == ',';
            }
        }
        return -1;
    }

    /** Reads more after the pending bytes, into a new array if this one is full; returns false at the end of the stream. */
    private boolean fill() throws IOException {
        if (ended) {
            return false;
        }
        if (limit == chunk.length) {
            int held = limit - position;
            byte[] next = new byte[Math.max(CHUNK_BYTES, 2 * held)];
            System.arraycopy(chunk, position, next, 0, held);
            chunkStart += position;
            chunk = next;
            position = 0;
            limit = held;
        }
        int read;
        try {
            read = in.read(chunk, limit, chunk.length - limit);
        } catch (EOFException e) {
            throw endsTooEarly(name, e);
        } catch (ZipException e) {
            throw damaged(name, e);
        }
        if (read < 0) {
            ended = true;
            return false;
        }
        limit += read;
        return true;
    }

    private static IOException damaged(String name, ZipException e) {
        return new IOException(name + ": damaged gzip data: " + e.getMessage(), e);
    }

    private static IOException endsTooEarly(String name, EOFException e) {
        return new IOException(name + ": gzip data ends too early, the file is incomplete", e);
    }

    private void skipByteOrderMark() throws IOException {
        boolean more = true;
        while (more && limit < 3) {
            more = fill();
        }
        if (limit >= 3 && (chunk[0] & 0xFF) == 0xEF && (chunk[1] & 0xFF) == 0xBB && (chunk[2] & 0xFF) == 0xBF) {
            position = 3;
        }
    }
}
