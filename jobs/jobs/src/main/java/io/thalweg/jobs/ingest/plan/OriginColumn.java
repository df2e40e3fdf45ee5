package io.thalweg.jobs.ingest.plan;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The column that holds the origin of a row's message: source, partition (of a topic), offset of the record, and index of the
 * message in it. It is the last column.
 *
 * <p><b>Threads.</b> One.
 */
public final class OriginColumn {
    static final String NAME = "_origin";

    private static final Field FIELD = Field.required(
            NAME,
            new Struct(List.of(
                    Field.required("source", FieldType.TEXT),
                    Field.optional("partition", FieldType.INT32),
                    Field.required("offset", FieldType.INT64),
                    Field.required("index", FieldType.INT64))));

    private final int slot;
    private String source = "";
    private byte[] sourceText = {};

    /**
     * Creates a writer of the column.
     *
     * @param columns the columns before it
     */
    OriginColumn(Struct columns) {
        slot = columns.slots();
    }

    /**
     * Adds the column.
     *
     * @throws SchemaException if a column of this name exists
     */
    static Struct addTo(Struct columns) {
        if (columns.indexOf(NAME) >= 0) {
            throw new SchemaException(
                    "there is a column '" + NAME + "'; rename it with 'fields', or leave sink.origin out");
        }
        List<Field> fields = new ArrayList<>(columns.fields());
        fields.add(FIELD);
        return new Struct(fields);
    }

    /** Returns the columns before it. */
    static Struct removeFrom(Struct table) {
        return new Struct(table.fields().subList(0, table.fields().size() - 1));
    }

    /** Writes the origin of a message: {@code index} in record {@code i}. */
    public void write(RecordWriter row, RawRecords records, int i, long index) {
        if (!source.equals(records.source())) {
            source = records.source();
            sourceText = source.getBytes(StandardCharsets.UTF_8);
        }
        row.beginStruct(slot);
        row.bytes(slot + 1, sourceText, 0, sourceText.length);
        if (records.partition() == RawRecords.NO_PARTITION) {
            row.absent(slot + 2);
        } else {
            row.int64(slot + 2, records.partition());
        }
        row.int64(slot + 3, records.position(i));
        row.int64(slot + 4, index);
        row.endStruct(slot);
    }
}
