package io.thalweg.jobs.ingest;

import io.thalweg.formats.RecordConditions;
import io.thalweg.formats.file.RawRecords;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordReader;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.avro.AvroReader;
import io.thalweg.records.avro.AvroSchema;
import io.thalweg.records.envelope.EnvelopeOpener;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.tables.iceberg.Partitioner;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Translates messages to rows: judges {@code where}, then reports the selected fields to a target. A bad message leaves no trace.
 *
 * <p><b>Threads.</b> One.
 *
 * @param <B> a batch of rows
 */
final class Translator<B> {
    private final IngestPlan plan;
    private final Limits limits;
    private final RecordReader reader;
    private final @Nullable RecordConditions conditions;
    private final @Nullable RecordReader conditionReader;
    private final RowTarget<B> target;
    private final @Nullable RowPrinter printer;

    private @Nullable AvroSchema writerSchema;
    private @Nullable AvroReader objects;
    private @Nullable AvroReader conditionObjects;

    /**
     * Prepares to translate.
     *
     * @param printer takes the first rows; null = none
     */
    Translator(IngestPlan plan, RowTarget<B> target, @Nullable RowPrinter printer) {
        this.plan = plan;
        this.target = target;
        this.printer = printer;
        limits = IngestPlan.limits(plan.ingest());
        reader = plan.format().reader(plan.translation(), limits);
        conditions = plan.conditions();
        conditionReader = conditions == null ? null : conditions.reader(plan.format(), limits);
    }

    /**
     * Translates a message; returns whether it became a row, otherwise {@code where} has dropped it.
     *
     * @param records of which record {@code i} holds the message, at {@code index}
     * @param opener holds the message
     * @throws BadRecordException if it is bad
     */
    boolean message(RawRecords records, int i, long index, EnvelopeOpener opener) {
        byte[] data = opener.data();
        int from = opener.from();
        int to = opener.to();
        if (conditions != null && conditionReader != null) {
            conditionReader.read(data, from, to, conditions.begin());
            if (!conditions.matches()) {
                return false;
            }
        }
        RecordWriter row = target.begin(records, i, index);
        try {
            reader.read(data, from, to, row);
            target.end();
        } catch (BadRecordException e) {
            target.rollback();
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

    /** What became of an object, and where it ends. */
    record Translated(boolean isRow, int end) {}

    /**
     * Translates the object of record {@code i} that begins at {@code from}.
     *
     * @throws BadRecordException if it is bad; where it ends is then unknown
     */
    Translated object(RawRecords records, int i, long index, int from) {
        byte[] data = records.data(i);
        int to = records.to(i);
        AvroReader read = Objects.requireNonNull(objects, "objectsOf comes first");
        if (conditions != null && conditionObjects != null) {
            int end = conditionObjects.readOne(data, from, to, conditions.begin());
            if (!conditions.matches()) {
                return new Translated(false, end);
            }
        }
        RecordWriter row = target.begin(records, i, index);
        int end;
        try {
            end = read.readOne(data, from, to, row);
            target.end();
        } catch (BadRecordException e) {
            target.rollback();
            throw e;
        }
        if (printer != null && printer.wantsMore()) {
            var unused = read.readOne(data, from, to, printer.begin());
            printer.end();
        }
        return new Translated(true, end);
    }

    int rows() {
        return target.rows();
    }

    B take() {
        return target.take();
    }
}
