package io.thalweg.bench.ingest;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.util.Utf8;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TList;
import org.apache.thrift.protocol.TMap;
import org.apache.thrift.protocol.TProtocolUtil;
import org.apache.thrift.protocol.TType;
import org.apache.thrift.transport.TMemoryInputTransport;
import org.apache.thrift.transport.TTransportException;

/** Rides of Thrift's binary protocol, read with libthrift as its generated classes read them: field by field, by number. */
final class ThriftRides {
    private static final int MICROS = 1_000;

    private final TMemoryInputTransport in = memory();
    private final TBinaryProtocol protocol = new TBinaryProtocol(in);
    private final Schema schema;
    private final Schema pickup;
    private final Schema dropoff;
    private final Binary[] statuses = {
        Binary.fromString("REQUESTED"),
        Binary.fromString("ACCEPTED"),
        Binary.fromString("COMPLETED"),
        Binary.fromString("CANCELLED")
    };

    ThriftRides(Schema schema) {
        this.schema = schema;
        pickup = schema.getField("pickup").schema();
        dropoff = schema.getField("dropoff").schema().getTypes().get(1);
    }

    private static TMemoryInputTransport memory() {
        try {
            return new TMemoryInputTransport();
        } catch (TTransportException e) {
            throw new IllegalStateException(e);
        }
    }

    private void begin(byte[] data, int from, int to) {
        in.reset(data, from, to - from);
        protocol.reset();
    }

    /** Passes the fields of a message to Parquet without an object for the message. */
    void decode(byte[] data, int from, int to, RideFields out) throws IOException {
        begin(data, from, to);
        try {
            for (TField field = protocol.readFieldBegin();
                    field.type != TType.STOP;
                    field = protocol.readFieldBegin()) {
                decode(field, out);
            }
        } catch (TException e) {
            throw new IOException(e);
        }
    }

    private void decode(TField field, RideFields out) throws TException {
        switch (field.id) {
            case 1 -> out.text("event_id", 0, text());
            case 2 -> out.bigint("ts", 1, protocol.readI64() * MICROS);
            case 3 -> out.text("status", 2, statuses[protocol.readI32() - 1]);
            case 4 -> out.text("rider_id", 3, text());
            case 5 -> out.text("driver_id", 4, text());
            case 6 -> place("pickup", 5, out);
            case 7 -> place("dropoff", 6, out);
            case 8 -> out.text("product", 7, text());
            case 9 -> out.integer("passengers", 8, protocol.readI32());
            case 10 -> out.bigint("fare_cents", 9, protocol.readI64());
            case 11 -> out.real("rating", 10, protocol.readDouble());
            case 12 -> out.bool("shared", 11, protocol.readBool());
            case 13 -> out.text("app_version", 12, text());
            case 14 -> out.text("device", 13, text());
            case 15 -> promotions(out);
            case 16 -> surcharges(out);
            case 17 -> out.text("session_id", 16, text());
            case 18 -> out.text("note", 17, text());
            default -> TProtocolUtil.skip(protocol, field.type);
        }
    }

    /** Returns a text as a view of the message's bytes, which stay until its row is written. */
    private Binary text() throws TException {
        ByteBuffer bytes = protocol.readBinary();
        return Binary.fromReusedByteArray(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
    }

    private void place(String name, int index, RideFields out) throws TException {
        out.begin(name, index);
        for (TField field = protocol.readFieldBegin(); field.type != TType.STOP; field = protocol.readFieldBegin()) {
            switch (field.id) {
                case 1 -> out.real("lat", 0, protocol.readDouble());
                case 2 -> out.real("lng", 1, protocol.readDouble());
                case 3 -> out.text("address", 2, text());
                default -> TProtocolUtil.skip(protocol, field.type);
            }
        }
        out.end(name, index);
    }

    private void promotions(RideFields out) throws TException {
        out.begin("promotions", 14);
        TList list = protocol.readListBegin();
        if (list.size > 0) {
            out.out().startField("list", 0);
            for (int i = 0; i < list.size; i++) {
                out.element(text());
            }
            out.out().endField("list", 0);
        }
        out.end("promotions", 14);
    }

    private void surcharges(RideFields out) throws TException {
        out.begin("surcharges", 15);
        TMap map = protocol.readMapBegin();
        if (map.size > 0) {
            out.out().startField("key_value", 0);
            for (int i = 0; i < map.size; i++) {
                out.entry(text(), protocol.readDouble());
            }
            out.out().endField("key_value", 0);
        }
        out.end("surcharges", 15);
    }

    /** Returns a message as an Avro record. */
    GenericRecord decode(byte[] data, int from, int to) throws IOException {
        begin(data, from, to);
        GenericData.Record ride = new GenericData.Record(schema);
        try {
            for (TField field = protocol.readFieldBegin();
                    field.type != TType.STOP;
                    field = protocol.readFieldBegin()) {
                ride.put(field.id - 1, value(field));
            }
        } catch (TException e) {
            throw new IOException(e);
        }
        return ride;
    }

    private Object value(TField field) throws TException {
        return switch (field.id) {
            case 2 -> protocol.readI64() * MICROS;
            case 3 -> statuses[protocol.readI32() - 1].toStringUsingUTF8();
            case 6 -> place(pickup);
            case 7 -> place(dropoff);
            case 9 -> protocol.readI32();
            case 10 -> protocol.readI64();
            case 11 -> protocol.readDouble();
            case 12 -> protocol.readBool();
            case 15 -> promotions();
            case 16 -> surcharges();
            default -> utf8();
        };
    }

    private Utf8 utf8() throws TException {
        ByteBuffer bytes = protocol.readBinary();
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return new Utf8(copy);
    }

    private GenericRecord place(Schema type) throws TException {
        GenericData.Record place = new GenericData.Record(type);
        for (TField field = protocol.readFieldBegin(); field.type != TType.STOP; field = protocol.readFieldBegin()) {
            place.put(field.id - 1, field.id == 3 ? utf8() : (Object) protocol.readDouble());
        }
        return place;
    }

    private List<Utf8> promotions() throws TException {
        TList list = protocol.readListBegin();
        List<Utf8> promotions = new ArrayList<>(list.size);
        for (int i = 0; i < list.size; i++) {
            promotions.add(utf8());
        }
        return promotions;
    }

    private Map<String, Double> surcharges() throws TException {
        TMap map = protocol.readMapBegin();
        Map<String, Double> surcharges = new HashMap<>(2 * map.size);
        for (int i = 0; i < map.size; i++) {
            ByteBuffer key = protocol.readBinary();
            surcharges.put(
                    new String(
                            key.array(), key.arrayOffset() + key.position(), key.remaining(), StandardCharsets.UTF_8),
                    protocol.readDouble());
        }
        return surcharges;
    }

    /** Passes fields of a row to Parquet, with three-level lists. */
    record RideFields(RecordConsumer out) {
        void text(String name, int index, Binary value) {
            out.startField(name, index);
            out.addBinary(value);
            out.endField(name, index);
        }

        void integer(String name, int index, int value) {
            out.startField(name, index);
            out.addInteger(value);
            out.endField(name, index);
        }

        void bigint(String name, int index, long value) {
            out.startField(name, index);
            out.addLong(value);
            out.endField(name, index);
        }

        void real(String name, int index, double value) {
            out.startField(name, index);
            out.addDouble(value);
            out.endField(name, index);
        }

        void bool(String name, int index, boolean value) {
            out.startField(name, index);
            out.addBoolean(value);
            out.endField(name, index);
        }

        /** Begins a struct, a list or a map. */
        void begin(String name, int index) {
            out.startField(name, index);
            out.startGroup();
        }

        void end(String name, int index) {
            out.endGroup();
            out.endField(name, index);
        }

        /** Adds an element of a list, between {@code startField("list", 0)} and its end. */
        void element(Binary value) {
            out.startGroup();
            text("element", 0, value);
            out.endGroup();
        }

        /** Adds an entry of a map, between {@code startField("key_value", 0)} and its end. */
        void entry(Binary key, double value) {
            out.startGroup();
            text("key", 0, key);
            real("value", 1, value);
            out.endGroup();
        }
    }
}
