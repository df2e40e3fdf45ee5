package io.thalweg.jobs.kafka.fetch;

import io.thalweg.formats.file.RecordHeader;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.utils.ByteUtils;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the headers of a record in Kafka's message format 2, initially before the first. An empty range has no headers.
 *
 * <p><b>Errors.</b> {@link CorruptRecordException} if the headers are damaged.
 *
 * <p><b>Threads.</b> Single-threaded.
 */
public final class HeaderCursor {
    private final ByteBuffer in;
    private final Supplier<String> place;
    private int left;
    private int nameAt;
    private int nameLength;
    private int valueAt;
    /** -1 for a header without a value. */
    private int valueLength;

    /**
     * Creates a cursor over [{@code from}, {@code to}).
     *
     * @param place of the record, for errors
     */
    public HeaderCursor(byte[] data, int from, int to, Supplier<String> place) {
        in = ByteBuffer.wrap(data, from, to - from);
        this.place = place;
        left = from == to ? 0 : varint();
    }

    /** Returns the value of the last header with this name; null if there is none. */
    public byte @Nullable [] last(String name) {
        byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
        byte[] found = null;
        while (next()) {
            found = isNamed(wanted) ? value() : found;
        }
        return found;
    }

    /** Returns all headers except those with this name, in their order. */
    public List<RecordHeader> allBut(@Nullable String name) {
        List<RecordHeader> headers = new ArrayList<>();
        while (next()) {
            String each = new String(in.array(), nameAt, nameLength, StandardCharsets.UTF_8);
            if (!each.equals(name)) {
                headers.add(new RecordHeader(each, value()));
            }
        }
        return headers;
    }

    private boolean next() {
        if (left <= 0) {
            return false;
        }
        left--;
        nameLength = length(0);
        nameAt = skip(nameLength);
        valueLength = length(-1);
        valueAt = skip(valueLength);
        return true;
    }

    private boolean isNamed(byte[] name) {
        return Arrays.equals(in.array(), nameAt, nameAt + nameLength, name, 0, name.length);
    }

    private byte @Nullable [] value() {
        return valueLength < 0 ? null : Arrays.copyOfRange(in.array(), valueAt, valueAt + valueLength);
    }

    private int length(int least) {
        int length = varint();
        if (length < least || length > in.remaining()) {
            throw corrupt("a header field of " + length + " bytes where " + in.remaining() + " are left");
        }
        return length;
    }

    private int skip(int length) {
        int at = in.position();
        in.position(at + Math.max(0, length));
        return at;
    }

    private int varint() {
        try {
            return ByteUtils.readVarint(in);
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            throw corrupt("headers that end in the middle of a number");
        }
    }

    private CorruptRecordException corrupt(String what) {
        return new CorruptRecordException(place.get() + " is damaged: it has " + what);
    }
}
