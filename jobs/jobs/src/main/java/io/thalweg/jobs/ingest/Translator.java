package io.thalweg.jobs.ingest;

import io.thalweg.formats.RecordConditions;
import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.function.FunctionHost;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.ingest.plan.OriginColumn;
import io.thalweg.jobs.ingest.target.RowPrinter;
import io.thalweg.jobs.ingest.target.RowTarget;
import io.thalweg.jobs.ingest.target.WithOrigin;
import io.thalweg.model.ingest.Ingest.Transform;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.DistinctKeys;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.RecordReader;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.avro.AvroReader;
import io.thalweg.records.avro.AvroSchema;
import io.thalweg.records.schema.SchemaException;
import java.io.Closeable;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Translates messages to rows: evaluates {@code where}, then writes the selected fields to a target or passes them to the user
 * function. A bad message leaves no rows behind.
 *
 * <p><b>Threads.</b> One.
 *
 * @param <B> a batch of rows
 */
final class Translator<B> implements Closeable {
    private final IngestPlan plan;
    private final Limits limits;
    private final RecordReader reader;
    private final @Nullable RecordConditions conditions;
    private final @Nullable RecordReader conditionReader;
    private final RowTarget<B> target;
    private final MessageRows rows;
    /** Used if there is no function, which prints its rows itself. */
    private final @Nullable RowPrinter printer;
    /** Prints the current message once it has become a row. */
    private @Nullable Runnable print;
    /** The number of unknown fields that were read again to print them. */
    private long unknownPrinted;

    private @Nullable AvroSchema writerSchema;
    private @Nullable AvroReader objects;
    private @Nullable AvroReader conditionObjects;

    /**
     * Creates a translator.
     *
     * @param host runs the user function
     * @param target receives the rows
     * @param printer prints the first rows; null = none
     */
    Translator(FunctionHost host, IngestPlan plan, RowTarget<B> target, @Nullable RowPrinter printer) {
        this.plan = plan;
        OriginColumn origin = plan.origin();
        this.target = origin == null ? target : new WithOrigin<>(target, origin);
        limits = IngestPlan.limits(plan.ingest());
        reader = plan.format().reader(plan.translation(), limits);
        conditions = plan.conditions();
        conditionReader = conditions == null ? null : conditions.reader(plan.format(), limits);
        Transform transform = plan.ingest().transform();
        rows = transform == null
                ? new DirectRows(this.target, new DistinctKeys(plan.table()))
                : new FunctionRows(plan, transform, host, this.target, printer);
        this.printer = transform == null ? printer : null;
    }

    /**
     * Reads a message and returns whether {@code where} keeps it. If it does, {@link #end} follows.
     *
     * @param records its record {@code i} contains the message, at {@code index}
     * @param data contains the message, in [{@code from}, {@code to})
     * @throws BadRecordException if it is bad
     */
    boolean message(RawRecords records, int i, long index, byte[] data, int from, int to) {
        if (conditions != null && conditionReader != null) {
            conditionReader.read(data, from, to, conditions.begin());
            if (!conditions.matches()) {
                return false;
            }
        }
        try {
            long before = reader.unknownFields();
            reader.read(data, from, to, rows.begin(records, i, index));
            refuse(reader.unknownFields() - before);
        } catch (BadRecordException e) {
            rows.rollback();
            throw e;
        }
        long unknown = reader.unknownFields();
        prepare(records, i, index, row -> reader.read(data, from, to, row));
        unknownPrinted += reader.unknownFields() - unknown;
        return true;
    }

    /** Reads a message again if it is to be printed. */
    private void prepare(RawRecords records, int i, long index, Consumer<RecordWriter> message) {
        print = null;
        RowPrinter rowPrinter = printer;
        if (rowPrinter != null && rowPrinter.wantsMore()) {
            message.accept(rowPrinter.begin());
            print = () -> rowPrinter.end(records, i, index);
        }
    }

    private void refuse(long unknown) {
        if (unknown > 0 && plan.ingest().rows().refuseUnknownFields()) {
            throw new BadRecordException(
                    RecordFault.UNKNOWN_FIELD,
                    "the message has %d %s not in the schema (sink.unknown_fields)"
                            .formatted(unknown, unknown == 1 ? "field that is" : "fields that are"));
        }
    }

    /** The number of fields in all messages so far that are not in the schema. */
    long unknownFields() {
        return reader.unknownFields() - unknownPrinted;
    }

    /**
     * Switches to the objects of an Avro container file.
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
     * @param records its record {@code i} contains the object, at {@code index}
     * @param data contains the object, and possibly more, in [{@code from}, {@code to})
     * @throws BadRecordException if it is bad; its end is then unknown
     */
    Found object(RawRecords records, int i, long index, byte[] data, int from, int to) {
        AvroReader read = Objects.requireNonNull(objects, "objectsOf comes first");
        if (conditions != null && conditionObjects != null) {
            int end = conditionObjects.readOne(data, from, to, conditions.begin());
            if (!conditions.matches()) {
                return new Found(false, end);
            }
        }
        int end;
        try {
            end = read.readOne(data, from, to, rows.begin(records, i, index));
        } catch (BadRecordException e) {
            rows.rollback();
            throw e;
        }
        prepare(records, i, index, row -> {
            var unused = read.readOne(data, from, to, row);
        });
        return new Found(true, end);
    }

    /**
     * Turns the last message or object into rows and returns their number.
     *
     * @throws BadRecordException if the user function rejects it or fails, or the table cannot hold a row
     */
    int end() {
        int count = rows.end();
        if (print != null) {
            print.run();
        }
        return count;
    }

    int rows() {
        return target.rows();
    }

    B take() {
        return target.take();
    }

    @Override
    public void close() {
        rows.close();
    }
}
