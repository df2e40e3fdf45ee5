package io.thalweg.jobs.ingest;

import io.thalweg.formats.RecordConditions;
import io.thalweg.jobs.function.OpenFunction;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordReader;
import io.thalweg.records.avro.AvroReader;
import io.thalweg.records.avro.AvroSchema;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.records.schema.SchemaException;
import java.io.Closeable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Translates messages to rows: judges {@code where}, then writes the selected fields as columns, or gives them to the function of the
 * user. A bad message leaves no trace.
 *
 * <p><b>Threads.</b> One.
 */
final class Translator implements Closeable {
    private final IngestPlan plan;
    private final Limits limits;
    private final RecordReader reader;
    private final @Nullable RecordConditions conditions;
    private final @Nullable RecordReader conditionReader;
    private final ColumnWriter columns;
    private final MessageRows rows;
    /** Of messages that are rows as they are. */
    private final @Nullable RowPrinter printer;

    private @Nullable AvroSchema writerSchema;
    private @Nullable AvroReader objects;
    private @Nullable AvroReader conditionObjects;

    /**
     * Prepares to translate.
     *
     * @param job names the job in this process
     * @param printer takes the first rows; null = none
     */
    Translator(String job, IngestPlan plan, @Nullable RowPrinter printer) {
        this.plan = plan;
        limits = IngestPlan.limits(plan.ingest());
        reader = plan.format().reader(plan.translation(), limits);
        conditions = plan.conditions();
        conditionReader = conditions == null ? null : conditions.reader(plan.format(), limits);
        columns = new ColumnWriter(plan.table());
        OpenFunction function = plan.openFunction(job);
        rows = function == null ? new DirectRows(columns) : new FunctionRows(function, plan.event(), columns, printer);
        this.printer = function == null ? printer : null;
    }

    /**
     * Reads a message; returns whether {@code where} keeps it. If it does, {@link #end} follows.
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
        try {
            reader.read(data, from, to, rows.begin());
        } catch (BadRecordException e) {
            rows.rollback();
            throw e;
        }
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

    /** Whether {@code where} keeps an object, and where it ends. */
    record Found(boolean isKept, int end) {}

    /**
     * Reads the object that begins at {@code from}. If it is kept, {@link #end} follows.
     *
     * @throws BadRecordException if it is bad; where it ends is then unknown
     */
    Found object(byte[] data, int from, int to) {
        AvroReader read = Objects.requireNonNull(objects, "objectsOf comes first");
        if (conditions != null && conditionObjects != null) {
            int end = conditionObjects.readOne(data, from, to, conditions.begin());
            if (!conditions.matches()) {
                return new Found(false, end);
            }
        }
        int end;
        try {
            end = read.readOne(data, from, to, rows.begin());
        } catch (BadRecordException e) {
            rows.rollback();
            throw e;
        }
        if (printer != null && printer.wantsMore()) {
            var unused = read.readOne(data, from, to, printer.begin());
            printer.end();
        }
        return new Found(true, end);
    }

    /**
     * Makes rows of what was read last; returns how many.
     *
     * @throws BadRecordException if the function of the user rejects it or fails
     */
    int end() {
        return rows.end();
    }

    int rows() {
        return columns.rows();
    }

    ColumnBatch take() {
        return columns.take();
    }

    @Override
    public void close() {
        rows.close();
    }
}
