package io.thalweg.records.write;

import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.Struct;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TCompactProtocol;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TList;
import org.apache.thrift.protocol.TMap;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TType;
import org.apache.thrift.transport.TMemoryInputTransport;
import org.jspecify.annotations.Nullable;

/**
 * Reads messages with the protocols of Thrift's library; ids are 1 to n. UUIDs must be binary: the library swaps their halves, against
 * the specification, and does not read collections of them.
 */
public final class ThriftOracle {
    /** The layout that the library can read. */
    public static final ThriftLayout LAYOUT = new ThriftLayout() {
        @Override
        public boolean uuidIsBinary(String path) {
            return true;
        }
    };

    private final TProtocol in;

    private ThriftOracle(TProtocol in) {
        this.in = in;
    }

    /** Returns the message as a {@link Tree}, read to its last byte. */
    public static List<@Nullable Object> read(Struct schema, boolean compact, byte[] data, int from, int to)
            throws TException {
        TMemoryInputTransport transport = new TMemoryInputTransport(data, from, to - from);
        TProtocol protocol = compact ? new TCompactProtocol(transport) : new TBinaryProtocol(transport);
        List<@Nullable Object> record = new ThriftOracle(protocol).struct(schema);
        if (transport.getBytesRemainingInBuffer() != 0) {
            throw new TException("bytes are left");
        }
        return record;
    }

    private List<@Nullable Object> struct(Struct struct) throws TException {
        List<@Nullable Object> values =
                new ArrayList<>(Collections.nCopies(struct.fields().size(), null));
        in.readStructBegin();
        int before = 0;
        for (TField field = in.readFieldBegin(); field.type != TType.STOP; field = in.readFieldBegin()) {
            if (field.id <= before) {
                throw new TException("field " + field.id + " follows " + before);
            }
            before = field.id;
            values.set(field.id - 1, value(struct.fields().get(field.id - 1).type(), field.type));
            in.readFieldEnd();
        }
        in.readStructEnd();
        return values;
    }

    private Object value(FieldType type, byte wire) throws TException {
        return switch (wire) {
            case TType.BOOL -> in.readBool();
            case TType.BYTE -> (long) in.readByte();
            case TType.I16 -> (long) in.readI16();
            case TType.I32 -> type instanceof Symbols symbols ? name(symbols) : (Object) (long) in.readI32();
            case TType.I64 -> in.readI64();
            case TType.DOUBLE -> in.readDouble();
            case TType.STRING -> in.readBinary();
            case TType.STRUCT -> struct((Struct) type);
            case TType.LIST -> list((ListOf) type);
            default -> map((MapOf) type);
        };
    }

    private ByteBuffer name(Symbols symbols) throws TException {
        return ByteBuffer.wrap(symbols.names().get(in.readI32()).getBytes(StandardCharsets.UTF_8));
    }

    private List<@Nullable Object> list(ListOf type) throws TException {
        List<@Nullable Object> elements = new ArrayList<>();
        TList list = in.readListBegin();
        for (int i = 0; i < list.size; i++) {
            elements.add(value(type.element(), list.elemType));
        }
        in.readListEnd();
        return elements;
    }

    private List<@Nullable Object> map(MapOf type) throws TException {
        List<@Nullable Object> entries = new ArrayList<>();
        TMap map = in.readMapBegin();
        for (int i = 0; i < map.size; i++) {
            entries.add(Arrays.asList(value(type.key(), map.keyType), value(type.value(), map.valueType)));
        }
        in.readMapEnd();
        return entries;
    }
}
