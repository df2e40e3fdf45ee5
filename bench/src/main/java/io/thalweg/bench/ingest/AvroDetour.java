package io.thalweg.bench.ingest;

import io.thalweg.records.Limits;
import io.thalweg.records.RecordReader;
import io.thalweg.records.avro.AvroSchema;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import io.thalweg.records.write.AvroBytes;
import io.thalweg.records.write.AvroSchemas;
import io.thalweg.records.write.ByteRecordWriter;
import io.thalweg.warehouse.LaneAddress;
import io.thalweg.warehouse.LaneTable;

/** A table whose rows are made from Avro bytes: published pipelines converted a message to Avro before they encoded it. */
record AvroDetour(LaneAddress table) implements LaneAddress {
    /** The system that is Thalweg with this detour. */
    static final String SYSTEM = "thalweg_avro";

    private static final long serialVersionUID = 1L;

    @Override
    public String name() {
        return table.name();
    }

    @Override
    public boolean exactlyOnce() {
        return table.exactlyOnce();
    }

    @Override
    public LaneTable open(Struct rows) {
        return table.open(rows);
    }

    @Override
    public ByteRecordWriter encoder(Struct rows) {
        AvroSchema schema = AvroSchema.parse(AvroSchemas.of(rows, "Ride").toString());
        RecordReader reader = schema.reader(Translation.of(schema.struct(), Selection.ALL), Limits.DEFAULT);
        return new Writer(schema.writer(), reader, table.encoder(rows));
    }

    /** Collects a message as Avro and encodes it when it ends. */
    private record Writer(AvroBytes avro, RecordReader reader, ByteRecordWriter encoder) implements ByteRecordWriter {
        @Override
        public void begin() {
            avro.begin();
        }

        @Override
        public void end() {
            avro.end();
            encoder.begin();
            reader.read(avro.data(), avro.from(), avro.to(), encoder);
            encoder.end();
        }

        @Override
        public byte[] data() {
            return encoder.data();
        }

        @Override
        public int from() {
            return encoder.from();
        }

        @Override
        public int to() {
            return encoder.to();
        }

        @Override
        public int textSize(int length) {
            return encoder.textSize(length);
        }

        @Override
        public int bytesSize(int length) {
            return encoder.bytesSize(length);
        }

        @Override
        public boolean claimHugeLength() {
            return encoder.claimHugeLength();
        }

        @Override
        public void bool(int slot, boolean value) {
            avro.bool(slot, value);
        }

        @Override
        public void int64(int slot, long value) {
            avro.int64(slot, value);
        }

        @Override
        public void float64(int slot, double value) {
            avro.float64(slot, value);
        }

        @Override
        public void bytes(int slot, byte[] data, int from, int length) {
            avro.bytes(slot, data, from, length);
        }

        @Override
        public void absent(int slot) {
            avro.absent(slot);
        }

        @Override
        public void beginStruct(int slot) {
            avro.beginStruct(slot);
        }

        @Override
        public void endStruct(int slot) {
            avro.endStruct(slot);
        }

        @Override
        public void beginList(int slot) {
            avro.beginList(slot);
        }

        @Override
        public void endList(int slot) {
            avro.endList(slot);
        }

        @Override
        public void beginMap(int slot) {
            avro.beginMap(slot);
        }

        @Override
        public void endMap(int slot) {
            avro.endMap(slot);
        }
    }
}
