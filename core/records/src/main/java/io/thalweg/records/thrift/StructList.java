package io.thalweg.records.thrift;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;

/**
 * Finds the structs of a list that forms a whole record. Structs have no length, but Thrift's protocols mark the end of each,
 * whatever its type, so a struct with wrong fields does not hide those after it.
 *
 * <p><b>Errors.</b> {@link BadRecordException} where no later struct can be found.
 *
 * <p><b>Threads.</b> One.
 */
public final class StructList {
    private static final int UNKNOWN = -1;
    private static final int LONG_LIST = 15;
    private static final int VARINT_BITS = 7;
    private static final Limits ANY_DEPTH =
            new Limits(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);

    private final ThriftReader reader;
    private int left;

    public StructList(Protocol protocol) {
        StructNode any = new StructNode(
                "", Translation.of(new Struct(List.of()), Selection.ALL).plan(), false, Map.of());
        reader = protocol == Protocol.BINARY ? new BinaryReader(any, ANY_DEPTH) : new CompactReader(any, ANY_DEPTH);
    }

    /** Opens the list in {@code [from, to)}; returns the start of its first struct. */
    public int open(byte[] data, int from, int to) {
        reader.open(data, from, to);
        left = reader.structs();
        return reader.at;
    }

    /** Opens the remaining structs of a list; returns the start of the first. */
    public int openRest(byte[] data, int from, int to) {
        reader.open(data, from, to);
        left = UNKNOWN;
        return reader.at;
    }

    /** Skips the next struct; returns false after the last one, which must end the bytes. */
    public boolean next() {
        if (left == 0 && reader.at < reader.end) {
            throw reader.bad((reader.end - reader.at) + " bytes follow the end of the list");
        }
        if (left == 0 || (left == UNKNOWN && reader.at == reader.end)) {
            return false;
        }
        reader.nextStruct();
        if (left > 0) {
            left--;
        }
        return true;
    }

    /** The end of the struct skipped last. */
    public int at() {
        return reader.at;
    }

    /** Writes the head of a list of structs. */
    public static void writeHead(Protocol protocol, int structs, ByteArrayOutputStream out) {
        if (protocol == Protocol.BINARY) {
            out.write(ThriftWireType.STRUCT.binary);
            for (int shift = 24; shift >= 0; shift -= 8) {
                out.write(structs >>> shift);
            }
        } else if (structs < LONG_LIST) {
            out.write(structs << 4 | ThriftWireType.STRUCT.compact);
        } else {
            out.write(LONG_LIST << 4 | ThriftWireType.STRUCT.compact);
            writeVarint(structs, out);
        }
    }

    private static void writeVarint(int value, ByteArrayOutputStream out) {
        int left = value;
        for (; left >= 1 << VARINT_BITS; left >>>= VARINT_BITS) {
            out.write((left & 0x7F) | 0x80);
        }
        out.write(left);
    }
}
