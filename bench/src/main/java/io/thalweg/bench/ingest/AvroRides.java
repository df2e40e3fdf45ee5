package io.thalweg.bench.ingest;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.parquet.io.api.Binary;
import org.jspecify.annotations.Nullable;

/** Plain Avro rides, read by Avro's own generic reader, or with its decoder in the order of the schema. */
final class AvroRides implements RideDecoder {
    private static final int MICROS = 1_000;

    private final GenericDatumReader<GenericRecord> reader;
    private final boolean reuse;
    private @Nullable BinaryDecoder decoder;
    private @Nullable GenericRecord ride;

    /**
     * Makes a decoder.
     *
     * @param reuse whether all messages share one record
     */
    AvroRides(Schema schema, boolean reuse) {
        reader = new GenericDatumReader<>(schema);
        this.reuse = reuse;
    }

    private BinaryDecoder begin(byte[] data, int from, int to) {
        BinaryDecoder begun = DecoderFactory.get().binaryDecoder(data, from, to - from, decoder);
        decoder = begun;
        return begun;
    }

    @Override
    public GenericRecord decode(byte[] data, int from, int to) throws IOException {
        GenericRecord read = reader.read(ride, begin(data, from, to));
        read.put(1, (Long) read.get(1) * MICROS);
        ride = reuse ? read : null;
        return read;
    }

    @Override
    public void decode(byte[] data, int from, int to, RideFields out) throws IOException {
        BinaryDecoder in = begin(data, from, to);
        out.text("event_id", 0, text(in));
        out.bigint("ts", 1, in.readLong() * MICROS);
        out.text("status", 2, text(in));
        out.text("rider_id", 3, text(in));
        if (there(in)) {
            out.text("driver_id", 4, text(in));
        }
        place("pickup", 5, in, out);
        if (there(in)) {
            place("dropoff", 6, in, out);
        }
        if (there(in)) {
            out.text("product", 7, text(in));
        }
        if (there(in)) {
            out.integer("passengers", 8, in.readInt());
        }
        if (there(in)) {
            out.bigint("fare_cents", 9, in.readLong());
        }
        if (there(in)) {
            out.real("rating", 10, in.readDouble());
        }
        if (there(in)) {
            out.bool("shared", 11, in.readBoolean());
        }
        if (there(in)) {
            out.text("app_version", 12, text(in));
        }
        if (there(in)) {
            out.text("device", 13, text(in));
        }
        if (there(in)) {
            promotions(in, out);
        }
        if (there(in)) {
            surcharges(in, out);
        }
        if (there(in)) {
            out.text("session_id", 16, text(in));
        }
        if (there(in)) {
            out.text("note", 17, text(in));
        }
    }

    private static boolean there(BinaryDecoder in) throws IOException {
        return in.readIndex() == 1;
    }

    /** Bytes of its own: Avro's decoder does not say where they are. */
    private static Binary text(BinaryDecoder in) throws IOException {
        ByteBuffer bytes = in.readBytes(null);
        return Binary.fromReusedByteArray(bytes.array(), bytes.arrayOffset(), bytes.remaining());
    }

    private static void place(String name, int index, BinaryDecoder in, RideFields out) throws IOException {
        out.begin(name, index);
        out.real("lat", 0, in.readDouble());
        out.real("lng", 1, in.readDouble());
        if (there(in)) {
            out.text("address", 2, text(in));
        }
        out.end(name, index);
    }

    private static void promotions(BinaryDecoder in, RideFields out) throws IOException {
        out.begin("promotions", 14);
        long count = in.readArrayStart();
        if (count > 0) {
            out.out().startField("list", 0);
            for (; count > 0; count = in.arrayNext()) {
                for (long i = 0; i < count; i++) {
                    out.element(text(in));
                }
            }
            out.out().endField("list", 0);
        }
        out.end("promotions", 14);
    }

    private static void surcharges(BinaryDecoder in, RideFields out) throws IOException {
        out.begin("surcharges", 15);
        long count = in.readMapStart();
        if (count > 0) {
            out.out().startField("key_value", 0);
            for (; count > 0; count = in.mapNext()) {
                for (long i = 0; i < count; i++) {
                    out.entry(text(in), in.readDouble());
                }
            }
            out.out().endField("key_value", 0);
        }
        out.end("surcharges", 15);
    }
}
