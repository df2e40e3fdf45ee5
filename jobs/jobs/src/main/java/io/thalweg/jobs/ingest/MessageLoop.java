package io.thalweg.jobs.ingest;

import io.thalweg.formats.DeadLetter;
import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.function.FunctionHost;
import io.thalweg.jobs.ingest.account.IngestAccount;
import io.thalweg.jobs.ingest.account.IngestAccount.Count;
import io.thalweg.jobs.ingest.deadletters.IngestDeadLetter;
import io.thalweg.jobs.ingest.deadletters.IngestDeadLetter.Stage;
import io.thalweg.jobs.ingest.deadletters.RecordAttributes;
import io.thalweg.jobs.ingest.deadletters.SavedDeadLetter;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.ingest.target.RowPrinter;
import io.thalweg.jobs.ingest.target.RowTarget;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.avro.AvroContainer;
import io.thalweg.records.avro.DamagedContainerException;
import io.thalweg.records.envelope.Envelope;
import io.thalweg.records.envelope.EnvelopeOpener;
import io.thalweg.records.schema.SchemaException;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Opens records, translates their messages, and counts each message as kept, filtered or bad. A kept message becomes one row, or
 * several with a user function.
 *
 * <p><b>Threads.</b> One.
 *
 * @param <B> a batch of rows
 */
final class MessageLoop<B> implements Closeable {
    private final String ingest;
    /** The stage to report if a message was read but cannot become rows. */
    private final Stage endStage;

    private final Translator<B> translator;
    private final EnvelopeOpener records;
    /** For records that are already decompressed. */
    private final EnvelopeOpener rests;

    /** Whether records are Avro containers, whose objects have no frames. */
    private final boolean areContainers;

    private final Limits limits;
    private final IngestAccount account;
    private final Consumer<IngestDeadLetter> letters;
    private EnvelopeOpener opener;
    /** The number of unknown fields already counted. */
    private long unknownFields;
    /** How often the current message was tried before. */
    private int attempts;

    /**
     * Creates a loop.
     *
     * @param host runs the user function
     * @param target receives rows
     * @param letters receives bad messages after they are counted
     * @param printer prints the first rows; null = none
     */
    MessageLoop(
            FunctionHost host,
            IngestPlan plan,
            RowTarget<B> target,
            IngestAccount account,
            Consumer<IngestDeadLetter> letters,
            @Nullable RowPrinter printer) {
        ingest = plan.ingest().qualifiedName();
        endStage = plan.ingest().transform() == null ? Stage.DECODE : Stage.TRANSFORM;
        translator = new Translator<>(host, plan, target, printer);
        limits = IngestPlan.limits(plan.ingest());
        records = new EnvelopeOpener(plan.envelope(), limits);
        rests = EnvelopeOpener.ofRests(plan.envelope(), limits);
        areContainers = plan.envelope().messages() == Envelope.Messages.AVRO_CONTAINER;
        opener = records;
        this.account = account;
        this.letters = letters;
    }

    /** The number of rows not yet taken. */
    int rows() {
        return translator.rows();
    }

    /** Returns the pending rows and clears them. */
    B take() {
        return translator.take();
    }

    /** Translates all messages of a record. */
    void process(RawRecords block, int i) {
        account.add(Count.RECORDS, 1);
        account.add(Count.BYTES_IN, block.total(i));
        if (block.isTombstone(i)) {
            account.add(Count.TOMBSTONES, 1);
        } else {
            record(block, i);
        }
    }

    /** Translates the content of a letter again. */
    void process(SavedDeadLetter letter) {
        RawRecords block = letter.record();
        account.add(Count.RECORDS, 1);
        account.add(Count.BYTES_IN, block.total(0));
        attempts = letter.attempts();
        switch (letter.form()) {
            case RECORD -> record(block, 0);
            case REST -> rest(block, letter.index());
            case MESSAGE -> single(block, letter.index());
            case FETCHED_RECORD -> fetched(block, letter.index(), !letter.isOfEnvelope());
        }
        attempts = 0;
    }

    private void rest(RawRecords block, long first) {
        opener = rests;
        messages(block, 0, first);
        opener = records;
    }

    private void single(RawRecords block, long index) {
        account.add(Count.EVENTS, 1);
        message(block, 0, index, block.data(0), block.from(0), block.to(0));
    }

    /** Translates only one message of a record, or also those after it; the others became rows the first time. */
    private void fetched(RawRecords block, long first, boolean only) {
        try {
            if (block.total(0) > limits.message()) {
                throw tooLarge(block.total(0));
            }
            open(block, 0);
            if (areContainers && opener.next()) {
                container(block, 0);
                return;
            }
            for (long index = 0; index <= first; index++) {
                if (!opener.next()) {
                    throw BadRecordException.undecodable(
                            "the record has %d messages, and none has the index %d".formatted(index, first));
                }
            }
        } catch (BadRecordException e) {
            lost(block, 0, first, e);
            return;
        }
        message(block, 0, first);
        for (long index = first + 1; !only && next(block, 0, index); index++) {
            message(block, 0, index);
        }
    }

    private void record(RawRecords block, int i) {
        BadRecordException damage = block.damage(i);
        if (damage != null) {
            lost(block, i, damage);
        } else if (block.writerSchema() != null) {
            objects(block, i);
        } else if (block.total(i) > limits.message()) {
            lost(block, i, tooLarge(block.total(i)));
        } else {
            messages(block, i, 0);
        }
    }

    private BadRecordException tooLarge(long bytes) {
        return new BadRecordException(
                RecordFault.TOO_LARGE,
                "a message must have at most %d bytes (limits.message), was %d".formatted(limits.message(), bytes));
    }

    /** Reports a record in which no message can be found. */
    private void lost(RawRecords block, int i, BadRecordException why) {
        lost(block, i, 0, why);
    }

    private void lost(RawRecords block, int i, long index, BadRecordException why) {
        account.add(Count.EVENTS, 1);
        int from = block.from(i);
        DeadLetter.Raw raw = DeadLetter.Raw.of(block.data(i), from, block.to(i) - from, block.total(i));
        bad(Stage.ENVELOPE, why, block, i, index, raw);
    }

    private void open(RawRecords block, int i) {
        opener.open(block.data(i), block.from(i), block.to(i), block.codec(i));
    }

    private void messages(RawRecords block, int i, long first) {
        try {
            open(block, i);
        } catch (BadRecordException e) {
            lost(block, i, first, e);
            return;
        }
        if (areContainers && opener.next()) {
            container(block, i);
            return;
        }
        long index = first;
        while (next(block, i, index)) {
            message(block, i, index++);
        }
    }

    /** Moves to the next message; a damaged frame ends its record. */
    private boolean next(RawRecords block, int i, long index) {
        try {
            return opener.next();
        } catch (BadRecordException e) {
            if (index == 0) {
                lost(block, i, e);
            } else {
                account.add(Count.EVENTS, 1);
                bad(Stage.ENVELOPE, e, block, i, index, raw(opener.data(), opener.from(), opener.to()));
            }
            return false;
        }
    }

    private void message(RawRecords block, int i, long index) {
        account.add(Count.EVENTS, 1);
        message(block, i, index, opener.data(), opener.from(), opener.to());
    }

    private void message(RawRecords block, int i, long index, byte[] data, int from, int to) {
        read(block, i, index, data, from, to);
        long unknown = translator.unknownFields();
        account.add(Count.UNKNOWN_FIELDS, unknown - unknownFields);
        unknownFields = unknown;
    }

    private void read(RawRecords block, int i, long index, byte[] data, int from, int to) {
        try {
            if (to - from > limits.message()) {
                throw tooLarge((long) to - from);
            }
            if (!translator.message(block, i, index, data, from, to)) {
                account.add(Count.FILTERED, 1);
                return;
            }
        } catch (BadRecordException e) {
            bad(Stage.DECODE, e, block, i, index, raw(data, from, to));
            return;
        }
        try {
            end();
        } catch (BadRecordException e) {
            bad(endStage, e, block, i, index, raw(data, from, to));
        }
    }

    /** Turns the last message read into rows. */
    private void end() {
        int rows = translator.end();
        account.add(rows == 0 ? Count.FILTERED : Count.KEPT, 1);
        account.add(Count.ROWS, rows);
    }

    private static DeadLetter.Raw raw(byte[] data, int from, int to) {
        return DeadLetter.Raw.of(data, from, to - from, to - from);
    }

    /** Translates objects of a file that contains its own schema. */
    private void objects(RawRecords block, int i) {
        try {
            translator.objectsOf(Objects.requireNonNull(block.writerSchema()));
        } catch (SchemaException e) {
            lost(block, i, incompatible(e));
            return;
        }
        objects(block, i, 0, new ObjectRange(block.data(i), block.from(i), block.to(i), block.objects(i)));
    }

    private static BadRecordException incompatible(SchemaException why) {
        return new BadRecordException(RecordFault.SCHEMA_INCOMPATIBLE, String.valueOf(why.getMessage()));
    }

    /** Translates an opened record that is an Avro container; after a damaged block, no further block can be found. */
    private void container(RawRecords block, int i) {
        long index = 0;
        try (AvroContainer container = new AvroContainer(opener.data(), opener.from(), opener.to(), limits)) {
            translator.objectsOf(container.schema());
            while (container.next()) {
                objects(
                        block,
                        i,
                        index,
                        new ObjectRange(container.data(), container.from(), container.to(), container.count()));
                index += container.count();
            }
        } catch (DamagedContainerException e) {
            lost(block, i, index, e.asBadRecord());
        } catch (SchemaException e) {
            lost(block, i, incompatible(e));
        } catch (BadRecordException e) {
            lost(block, i, index, e);
        } catch (IOException e) {
            throw new UncheckedIOException("reading from memory failed", e);
        }
    }

    /** Consecutive objects in [{@code from}, {@code to}). */
    private record ObjectRange(byte[] data, int from, int to, long count) {
        DeadLetter.Raw raw(int begin, int end) {
            return MessageLoop.raw(data, begin, end);
        }
    }

    /** Translates objects without frames. After a bad one, no further object can be found, so the rest counts as one message. */
    private void objects(RawRecords block, int i, long first, ObjectRange range) {
        int at = range.from();
        for (long index = first; index < first + range.count(); index++) {
            account.add(Count.EVENTS, 1);
            Translator.Found found;
            try {
                found = translator.object(block, i, index, range.data(), at, range.to());
            } catch (BadRecordException e) {
                bad(Stage.DECODE, e, block, i, index, range.raw(at, range.to()));
                return;
            }
            object(found, block, i, index, range, at);
            at = found.end();
        }
        if (at < range.to()) {
            account.add(Count.EVENTS, 1);
            BadRecordException why =
                    BadRecordException.undecodable((range.to() - at) + " bytes follow the last object of the block");
            bad(Stage.DECODE, why, block, i, first + range.count(), range.raw(at, range.to()));
        }
    }

    private void object(Translator.Found found, RawRecords block, int i, long index, ObjectRange range, int at) {
        if (!found.isKept()) {
            account.add(Count.FILTERED, 1);
            return;
        }
        try {
            end();
        } catch (BadRecordException e) {
            bad(endStage, e, block, i, index, range.raw(at, found.end()));
        }
    }

    @Override
    public void close() {
        translator.close();
    }

    private void bad(Stage stage, BadRecordException why, RawRecords block, int i, long index, DeadLetter.Raw raw) {
        account.bad(why.fault().reason());
        letters.accept(new IngestDeadLetter(
                ingest,
                stage,
                why,
                IngestDeadLetter.origin(block, i, index),
                new IngestDeadLetter.Content(
                        raw, block.codec(i), isReplayable(stage, block, i, index), RecordAttributes.of(block, i)),
                attempts + 1,
                Instant.now()));
    }

    private boolean isReplayable(Stage stage, RawRecords block, int i, long index) {
        boolean isRecord = stage == Stage.ENVELOPE && index == 0;
        return block.writerSchema() == null && block.damage(i) == null && (isRecord || !areContainers);
    }
}
