package io.thalweg.bench.ingest;

import io.thalweg.records.Limits;
import io.thalweg.records.RecordReader;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.avro.AvroSchema;
import io.thalweg.records.row.Row;
import io.thalweg.records.row.RowShape;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import io.thalweg.records.values.RowReader;
import io.thalweg.records.values.RowWriter;
import io.thalweg.records.write.AvroBytes;
import io.thalweg.records.write.AvroSchemas;
import io.thalweg.records.write.ByteRecordWriter;
import io.thalweg.warehouse.LaneAddress;
import io.thalweg.warehouse.LaneTable;
import java.util.Locale;

/** The forms that published pipelines gave a message between its decoding and the encoding of its row. */
enum Detour {
    /** Straight into the encoding, as Thalweg does. */
    NONE {
        @Override
        ByteRecordWriter before(ByteRecordWriter encoder, Struct rows) {
            return encoder;
        }
    },
    /** A row: an object with an object for each value. */
    ROW {
        @Override
        ByteRecordWriter before(ByteRecordWriter encoder, Struct rows) {
            RowWriter collected = new RowWriter(rows, RowShape.of(rows));
            RowReader values = new RowReader(rows);
            return new DetourWriter(collected, collected::begin, out -> values.read(collected.row(), out), encoder);
        }
    },
    /** Bytes of Avro. */
    AVRO {
        @Override
        ByteRecordWriter before(ByteRecordWriter encoder, Struct rows) {
            AvroSchema schema = AvroSchema.parse(AvroSchemas.of(rows, "Ride").toString());
            AvroBytes bytes = schema.writer();
            RecordReader reader = schema.reader(Translation.of(schema.struct(), Selection.ALL), Limits.DEFAULT);
            return new DetourWriter(
                    bytes,
                    bytes::begin,
                    out -> {
                        bytes.end();
                        reader.read(bytes.data(), bytes.from(), bytes.to(), out);
                    },
                    encoder);
        }
    },
    /** A map of objects by the names of columns, with times as text, as a {@code TableRow} has them. */
    TABLE_ROW {
        @Override
        ByteRecordWriter before(ByteRecordWriter encoder, Struct rows) {
            RowShape shape = RowShape.of(rows);
            RowWriter collected = new RowWriter(rows, shape);
            RowReader values = new RowReader(rows);
            return new DetourWriter(
                    collected,
                    collected::begin,
                    out -> {
                        Row row = ObjectMaps.row(ObjectMaps.map(collected.row()), rows, shape);
                        values.read(row, out);
                    },
                    encoder);
        }
    };

    static final String THALWEG = "thalweg";

    /** What reports the message that was collected. */
    interface Collected {
        void report(RecordWriter out);
    }

    /** A writer that takes a message, and encodes its row when it ends. */
    abstract ByteRecordWriter before(ByteRecordWriter encoder, Struct rows);

    /** The system that is Thalweg with this detour. */
    String system() {
        return this == NONE ? THALWEG : THALWEG + "_" + name().toLowerCase(Locale.ROOT);
    }

    /** That of a system of this name. */
    static Detour of(String system) {
        return system.equals(THALWEG)
                ? NONE
                : valueOf(system.substring(THALWEG.length() + 1).toUpperCase(Locale.ROOT));
    }

    /** A table whose rows take a detour. */
    record Table(LaneAddress table, Detour detour) implements LaneAddress {
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
        public ByteRecordWriter encoder(Struct rows) {
            return detour.before(table.encoder(rows), rows);
        }

        @Override
        public LaneTable open(Struct rows) {
            return table.open(rows);
        }
    }
}
