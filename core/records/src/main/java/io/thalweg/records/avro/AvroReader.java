package io.thalweg.records.avro;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.RecordReader;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.Utf8;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.translate.Translation;

/**
 * Reads messages in Avro's binary encoding, without any header.
 *
 * <p><b>Errors.</b> Beyond {@link RecordReader}: a boolean must be 0 or 1, an int must fit 32 bits, a block that states its size
 * must have that size, and no byte may follow the record. Elements without bytes, such as nulls, are bounded by a sixteenth of
 * {@link Limits#inflated} for each message. A decimal with more digits than its type is {@link RecordFault#OUT_OF_RANGE}, and so
 * is a symbol that is not in the table's enum.
 *
 * <p><b>Threads.</b> One.
 */
public final class AvroReader implements RecordReader {
    private static final int BYTES_PER_FREE_ELEMENT = 16;

    private final AvroInput in = new AvroInput();
    private final AvroScalars scalars = new AvroScalars(in);
    private final Step[] root;
    private final int deepest;
    private final long mostFree;

    private int depth;
    private long free;

    private AvroReader(Step.Fields root, Limits limits) {
        this.root = root.fields;
        this.deepest = limits.depth();
        this.mostFree = mostFree(limits);
    }

    /** Returns how many elements without bytes a message may have. */
    static long mostFree(Limits limits) {
        return limits.inflated() / BYTES_PER_FREE_ELEMENT;
    }

    /**
     * Creates a reader of messages that may have been written with another schema than the table's.
     *
     * <p>Schemas are resolved as Avro specifies: fields by name and alias, with promotions and defaults. Beyond that, times are
     * converted from the writer's unit, and decimals must have the writer's scale. Fields that are not selected may be
     * incompatible. A union is incompatible if none of its types except null can be read; if only some can, messages with another
     * type are {@link RecordFault#WRONG_TYPE}.
     *
     * @param writer the schema that the messages were written with
     * @param table the schema for which the translation was compiled
     * @param translation of {@code table.struct()}, used by this reader only
     * @throws SchemaException if the schemas are incompatible; the message names the field
     */
    public static AvroReader of(AvroSchema writer, AvroSchema table, Translation translation, Limits limits) {
        return new AvroReader(Compiler.compile(writer, table, translation.plan(), new Skips()), limits);
    }

    @Override
    public void read(byte[] data, int from, int to, RecordWriter writer) {
        if (from >= to) {
            throw new BadRecordException(RecordFault.EMPTY, "a message must have at least one byte");
        }
        int end = readOne(data, from, to, writer);
        if (end != to) {
            throw BadRecordException.undecodable(
                    "%d bytes follow the record, which ends after byte %d; was it written with another schema?"
                            .formatted(to - end, end - from));
        }
    }

    /**
     * Reads one of several consecutive records.
     *
     * @param data holds the record, and perhaps more, in {@code [from, to)}; not kept
     * @return the end of the record
     */
    public int readOne(byte[] data, int from, int to, RecordWriter writer) {
        in.open(data, from, to);
        depth = 1;
        free = mostFree;
        try {
            run(root, writer);
            return in.at;
        } finally {
            in.close();
        }
    }

    private void run(Step[] steps, RecordWriter writer) {
        for (Step step : steps) {
            switch (step.op) {
                case Step.BOOL -> writer.bool(step.slot, in.readBool());
                case Step.INT -> writer.int64(step.slot, in.readInt());
                case Step.LONG -> writer.int64(step.slot, in.readLong());
                case Step.REAL32 -> writer.float64(step.slot, in.readFloat());
                case Step.REAL64 -> writer.float64(step.slot, in.readDouble());
                case Step.INT_AS_FLOAT -> writer.float64(step.slot, (float) in.readInt());
                case Step.INT_AS_DOUBLE -> writer.float64(step.slot, in.readInt());
                case Step.LONG_AS_FLOAT -> writer.float64(step.slot, (float) in.readLong());
                case Step.LONG_AS_DOUBLE -> writer.float64(step.slot, (double) in.readLong());
                case Step.TEXT -> text(step, writer);
                case Step.BYTES -> bytes(step.slot, in.readLength(), writer);
                case Step.FIXED -> fixed((Step.Fixed) step, writer);
                case Step.UNION -> union((Step.Union) step, writer);
                case Step.NULL -> ((Step.Null) step).plan.isNull(writer);
                case Step.SYMBOL -> scalars.symbol((Step.Symbol) step, writer);
                case Step.INT_SCALED -> scalars.scaled((Step.Scaled) step, in.readInt(), writer);
                case Step.LONG_SCALED -> scalars.scaled((Step.Scaled) step, in.readLong(), writer);
                case Step.DECIMAL -> scalars.decimal((Step.Decimal) step, writer);
                case Step.UUID_TEXT -> scalars.uuid(step, writer);
                case Step.RECORD -> record((Step.Fields) step, writer);
                case Step.ARRAY -> array((Step.Elements) step, writer);
                case Step.MAP -> map((Step.Entries) step, writer);
                case Step.SKIP -> in.skip(((Step.Skip) step).count);
                case Step.SKIP_NUMBERS -> in.skipNumbers(((Step.Skip) step).count);
                case Step.SKIP_BYTES -> in.skipLengths(((Step.Skip) step).count);
                default -> runRare(step, writer);
            }
        }
    }

    private void runRare(Step step, RecordWriter writer) {
        switch (step.op) {
            case Step.BRANCH -> branch((Step.Branch) step, writer);
            case Step.AGAIN -> again((Step.Again) step, writer);
            case Step.DEFAULT -> runDefault((Step.Default) step, writer);
            case Step.SKIP_RECORD -> skipRecord((Step.SkipRecord) step, writer);
            case Step.SKIP_BLOCKS -> skipBlocks((Step.SkipBlocks) step, writer);
            case Step.REFUSED -> refuse((Step.Refused) step);
            default -> throw new IllegalStateException("no such step: " + step.op);
        }
    }

    private void text(Step step, RecordWriter writer) {
        int length = in.readLength();
        int at = in.at;
        int malformed = Utf8.firstMalformed(in.data, at, length);
        if (malformed >= 0) {
            throw BadRecordException.invalidText(step.path, "not UTF-8 at its byte " + (malformed - at));
        }
        bytes(step.slot, length, writer);
    }

    private void bytes(int slot, int length, RecordWriter writer) {
        int at = in.at;
        in.at = at + length;
        writer.bytes(slot, in.data, at, length);
    }

    private void fixed(Step.Fixed step, RecordWriter writer) {
        in.require(step.size);
        bytes(step.slot, step.size, writer);
    }

    private void union(Step.Union step, RecordWriter writer) {
        Step[][] branches = step.branches;
        run(branches[in.readIndex(branches.length, step.path)], writer);
    }

    private void branch(Step.Branch step, RecordWriter writer) {
        if (step.slot >= 0) {
            writer.beginStruct(step.slot);
        }
        step.struct.begin();
        step.struct.see(step.index);
        run(step.value, writer);
        step.struct.end(writer);
        if (step.slot >= 0) {
            writer.endStruct(step.slot);
        }
    }

    private void record(Step.Fields step, RecordWriter writer) {
        enter(step);
        if (step.slot >= 0) {
            writer.beginStruct(step.slot);
            run(step.fields, writer);
            writer.endStruct(step.slot);
        } else {
            run(step.fields, writer);
        }
        depth--;
    }

    private void array(Step.Elements step, RecordWriter writer) {
        enter(step);
        writer.beginList(step.slot);
        long count;
        while ((count = count(step.smallest)) != 0) {
            int end = in.blockEnd();
            for (long i = 0; i < count; i++) {
                run(step.element, writer);
            }
            checkEnd(step, end);
        }
        writer.endList(step.slot);
        depth--;
    }

    private void map(Step.Entries step, RecordWriter writer) {
        enter(step);
        writer.beginMap(step.slot);
        long count;
        while ((count = count(step.smallest)) != 0) {
            int end = in.blockEnd();
            for (long i = 0; i < count; i++) {
                text(step.key, writer);
                run(step.value, writer);
            }
            checkEnd(step, end);
        }
        writer.endMap(step.slot);
        depth--;
    }

    private long count(int smallest) {
        long count = in.readCount(smallest);
        if (smallest == 0 && (free -= count) < 0) {
            throw BadRecordException.undecodable(
                    "a message may have at most " + mostFree + " elements that take no bytes; raise limits.inflated");
        }
        return count;
    }

    private void checkEnd(Step step, int end) {
        if (end >= 0 && in.at != end) {
            throw in.malformed(in.at, "a block of '%s' must end %d bytes later".formatted(step.path, end - in.at));
        }
    }

    private void again(Step.Again step, RecordWriter writer) {
        int first = in.at;
        long before = free;
        for (Step[] use : step.uses) {
            in.at = first;
            free = before;
            run(use, writer);
        }
    }

    private void runDefault(Step.Default step, RecordWriter writer) {
        byte[] data = in.data;
        int at = in.at;
        int start = in.start();
        int end = in.end();
        in.open(step.written, 0, step.written.length);
        run(step.value, writer);
        in.open(data, start, end);
        in.at = at;
    }

    private void skipRecord(Step.SkipRecord step, RecordWriter writer) {
        enter(step);
        run(step.fields, writer);
        depth--;
    }

    private void skipBlocks(Step.SkipBlocks step, RecordWriter writer) {
        enter(step);
        long count;
        while ((count = count(step.smallest)) != 0) {
            int end = in.blockEnd();
            if (end >= 0) {
                in.at = end;
            } else if (step.isFixed) {
                in.skip(count * step.smallest);
            } else {
                for (long i = 0; i < count; i++) {
                    run(step.element, writer);
                }
            }
        }
        depth--;
    }

    private void enter(Step step) {
        if (++depth > deepest) {
            throw BadRecordException.undecodable(
                    "'" + step.path + "' is nested more than " + deepest + " levels deep; raise limits.depth");
        }
    }

    private static void refuse(Step.Refused step) {
        throw BadRecordException.wrongType(step.path, step.expected, step.found);
    }
}
