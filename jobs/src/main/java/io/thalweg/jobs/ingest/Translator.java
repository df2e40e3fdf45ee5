package io.thalweg.jobs.ingest;

import io.thalweg.formats.RecordConditions;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordReader;
import io.thalweg.records.avro.AvroReader;
import io.thalweg.records.avro.AvroSchema;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.tables.iceberg.Partitioner;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Translates messages to rows: judges {@code where}, then writes the selected fields as columns. A bad message leaves no trace.
 *
 * <p><b>Threads.</b> One.
 */
final class Translator {
    private final IngestPlan plan;
    private final Limits limits;
    private final RecordReader reader;
    private final @Nullable RecordConditions conditions;
    private final @Nullable RecordReader conditionReader;
    private final ColumnWriter columns;
    private final Partitioner partitioner;
    private final @Nullable RowPrinter printer;

    private @Nullable AvroSchema writerSchema;
    private @Nullable AvroReader objects;
    private @Nullable AvroReader conditionObjects;

    /**
     * Prepares to translate.
     *
     * @param printer takes the first rows; null = none
     */
    Translator(IngestPlan plan, @Nullable RowPrinter printer) {
        this.plan = plan;
        this.printer = printer;
        limits = IngestPlan.limits(plan.ingest());
        reader = plan.format().reader(plan.translation(), limits);
        conditions = plan.conditions();
        conditionReader = conditions == null ? null : conditions.reader(plan.format(), limits);
        columns = new ColumnWriter(plan.table());
        partitioner = plan.layout().partitioner();
    }

    /**
     * Translates a message; returns whether it became a row, otherwise {@code where} has dropped it.
     *
     * @throws BadRecordException if it is bad
     */
    boolean message(byte[] data, int from, int to) {
        if (conditions != null && conditionReader != null) {
            conditionReader.read(data, from, to, conditions.begin());
            if (!conditions.matches()) {
                return false;
            }
        }
        columns.begin();
        try {
            reader.read(data, from, to, columns);
            partitioner.requireLast(columns, plan.hasFolders());
        } catch (BadRecordException e) {
            columns.rollback();
            throw e;
        }
        columns.end();
        if (printer != null && printer.wantsMore()) {
            reader.read(data, from, to, printer.begin());
            printer.end();
        }
        return true;
    }

    /**
     * Prepares to translate objects of an Avro container file.
     *
     * @throws SchemaException if its schema cannot be read as the definition's
     */
    void objectsOf(AvroSchema writer) {
        if (writer.equals(writerSchema)) {
            return;
        }
        AvroSchema table = plan.avroSchema();
        objects = AvroReader.of(writer, table, plan.translation(), limits);
        conditionObjects = conditions == null ? null : AvroReader.of(writer, table, conditions.translation(), limits);
        writerSchema = writer;
    }

    /** What became of an object, and where it ends. */
    record Translated(boolean isRow, int end) {}

    /**
     * Translates the object that begins at {@code from}.
     *
     * @throws BadRecordException if it is bad; where it ends is then unknown
     */
    Translated object(byte[] data, int from, int to) {
        AvroReader read = Objects.requireNonNull(objects, "objectsOf comes first");
        if (conditions != null && conditionObjects != null) {
            int end = conditionObjects.readOne(data, from, to, conditions.begin());
            if (!conditions.matches()) {
                return new Translated(false, end);
            }
        }
        columns.begin();
        int end;
        try {
            end = read.readOne(data, from, to, columns);
            partitioner.requireLast(columns, plan.hasFolders());
        } catch (BadRecordException e) {
            columns.rollback();
            throw e;
        }
        columns.end();
        if (printer != null && printer.wantsMore()) {
            var unused = read.readOne(data, from, to, printer.begin());
            printer.end();
        }
        return new Translated(true, end);
    }

    int rows() {
        return columns.rows();
    }

    ColumnBatch take() {
        return columns.take();
    }
}
