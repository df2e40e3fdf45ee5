package io.thalweg.devkit.google;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import io.grpc.Status;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Hashes encoded rows without creating messages, for tables that only count. Two rows with the same values have the same hash,
 * regardless of the numbers and the order of their fields, and of the order of list elements.
 *
 * <p><b>Threads.</b> One.
 */
final class RowDigest {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int LENGTH = 2;
    private static final int FIXED32 = 5;

    private final Node root;
    private final boolean timed;
    private ByteBuffer row = ByteBuffer.allocate(0);
    /** The value of the time column in the last row, in microseconds since 1970. */
    private long timeMicros;

    /**
     * Creates a digest for rows of a type.
     *
     * @param timeColumn the top-level column with the time of a row; empty = none
     */
    RowDigest(Descriptor type, String timeColumn) {
        root = new Node(type, "", timeColumn);
        timed = !timeColumn.isEmpty();
    }

    /** The meaning of field numbers within a message. */
    private static final class Node {
        private final Map<Integer, Field> fields = new HashMap<>();

        Node(Descriptor type, String prefix, String timeColumn) {
            for (FieldDescriptor field : type.getFields()) {
                String path = prefix + field.getName().toLowerCase(Locale.ROOT);
                boolean struct = field.getJavaType() == FieldDescriptor.JavaType.MESSAGE;
                fields.put(
                        field.getNumber(),
                        new Field(
                                mix(path.hashCode()),
                                struct ? new Node(field.getMessageType(), path + ".", "") : null,
                                path.equals(timeColumn)));
            }
        }
    }

    private record Field(long salt, @Nullable Node struct, boolean isTime) {}

    /** Returns a batch of rows that are counted instead of kept. */
    FakeStream.Batch batch(List<ByteString> rows) {
        long bytes = 0;
        long hashes = 0;
        long[] madeMs = new long[timed ? rows.size() : 0];
        for (int i = 0; i < rows.size(); i++) {
            bytes += rows.get(i).size();
            hashes += hash(rows.get(i));
            if (timed) {
                madeMs[i] = timeMicros / 1_000;
            }
        }
        return new FakeStream.Batch(List.of(), rows.size(), bytes, hashes, madeMs);
    }

    private long hash(ByteString encoded) {
        row = encoded.asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        return mix(fields(root, row.limit()));
    }

    private long fields(Node node, int end) {
        long sum = 0;
        while (row.position() < end) {
            int tag = (int) varint();
            Field field = node.fields.get(tag >>> 3);
            if (field == null) {
                throw Status.INVALID_ARGUMENT.withDescription("unknown fields").asRuntimeException();
            }
            sum += mix(field.salt() + value(field, tag & 7));
        }
        return sum;
    }

    private long value(Field field, int wireType) {
        return switch (wireType) {
            case VARINT -> {
                long value = varint();
                timeMicros = field.isTime() ? value : timeMicros;
                yield mix(value);
            }
            case FIXED64 -> mix(row.getLong());
            case FIXED32 -> mix(row.getInt());
            case LENGTH -> {
                int length = (int) varint();
                yield field.struct() == null ? bytes(length) : fields(field.struct(), row.position() + length);
            }
            default ->
                throw Status.INVALID_ARGUMENT
                        .withDescription("wire type " + wireType)
                        .asRuntimeException();
        };
    }

    private long bytes(int length) {
        long hash = length;
        int left = length;
        for (; left >= Long.BYTES; left -= Long.BYTES) {
            hash = mix(hash ^ row.getLong());
        }
        for (; left > 0; left--) {
            hash = mix(hash ^ row.get());
        }
        return hash;
    }

    private long varint() {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            byte next = row.get();
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                break;
            }
        }
        return value;
    }

    /** The finalizer of SplitMix64. */
    private static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }
}
