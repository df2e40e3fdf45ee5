package io.thalweg.jobs.ingest;

import io.thalweg.formats.DeadLetter;
import io.thalweg.jobs.ingest.IngestAccount.Count;
import io.thalweg.jobs.ingest.IngestLetter.Stage;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.envelope.EnvelopeOpener;
import io.thalweg.records.schema.SchemaException;
import java.io.Closeable;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Opens records, translates their messages, and accounts for each: it is kept, which means one row or, by a function of the user,
 * several; filtered; or bad.
 *
 * <p><b>Threads.</b> One.
 */
final class MessageLoop implements Closeable {
    private final String ingest;
    private final Translator translator;
    private final EnvelopeOpener opener;
    private final Limits limits;
    private final IngestAccount account;
    private final Consumer<IngestLetter> letters;

    /**
     * Prepares to translate.
     *
     * @param job names the job in this process
     * @param letters takes bad messages, after they were counted
     * @param printer takes the first rows; null = none
     */
    MessageLoop(
            String job,
            IngestPlan plan,
            IngestAccount account,
            Consumer<IngestLetter> letters,
            @Nullable RowPrinter printer) {
        ingest = plan.ingest().qualifiedName();
        translator = new Translator(job, plan, printer);
        limits = IngestPlan.limits(plan.ingest());
        opener = new EnvelopeOpener(plan.envelope(), limits);
        this.account = account;
        this.letters = letters;
    }

    /** Rows that were not taken yet. */
    int rows() {
        return translator.rows();
    }

    /** Hands out the rows. */
    ColumnBatch take() {
        return translator.take();
    }

    /** Translates all messages of a record. */
    void process(RawRecords block, int i) {
        account.add(Count.RECORDS, 1);
        account.add(Count.BYTES_IN, block.total(i));
        record(block, i);
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
            messages(block, i);
        }
    }

    private BadRecordException tooLarge(long bytes) {
        return new BadRecordException(
                RecordFault.TOO_LARGE,
                "a message must have at most %d bytes (limits.message), was %d".formatted(limits.message(), bytes));
    }

    /** A record in which no message can be found. */
    private void lost(RawRecords block, int i, BadRecordException why) {
        account.add(Count.EVENTS, 1);
        int from = block.from(i);
        DeadLetter.Raw raw = DeadLetter.Raw.of(block.data(i), from, block.to(i) - from, block.total(i));
        bad(Stage.ENVELOPE, why, block, i, 0, raw);
    }

    private void messages(RawRecords block, int i) {
        try {
            opener.open(block.data(i), block.from(i), block.to(i));
        } catch (BadRecordException e) {
            lost(block, i, e);
            return;
        }
        long index = 0;
        while (next(block, i, index)) {
            message(block, i, index++);
        }
    }

    /** Moves to the next message; a damaged frame is the last of its record. */
    private boolean next(RawRecords block, int i, long index) {
        try {
            return opener.next();
        } catch (BadRecordException e) {
            account.add(Count.EVENTS, 1);
            bad(Stage.ENVELOPE, e, block, i, index, opened());
            return false;
        }
    }

    private void message(RawRecords block, int i, long index) {
        account.add(Count.EVENTS, 1);
        try {
            if (opener.isTooLarge()) {
                throw tooLarge((long) opener.to() - opener.from());
            }
            if (!translator.message(opener.data(), opener.from(), opener.to())) {
                account.add(Count.FILTERED, 1);
                return;
            }
        } catch (BadRecordException e) {
            bad(Stage.DECODE, e, block, i, index, opened());
            return;
        }
        try {
            end();
        } catch (BadRecordException e) {
            bad(Stage.TRANSFORM, e, block, i, index, opened());
        }
    }

    /** Makes rows of the message that was read last. */
    private void end() {
        int rows = translator.end();
        account.add(rows == 0 ? Count.FILTERED : Count.KEPT, 1);
        account.add(Count.ROWS, rows);
    }

    private DeadLetter.Raw opened() {
        int length = opener.to() - opener.from();
        return DeadLetter.Raw.of(opener.data(), opener.from(), length, length);
    }

    /** Objects without frames: behind a bad one, none can be found, and the rest counts as one. */
    private void objects(RawRecords block, int i) {
        try {
            translator.objectsOf(Objects.requireNonNull(block.writerSchema()));
        } catch (SchemaException e) {
            lost(block, i, new BadRecordException(RecordFault.SCHEMA_INCOMPATIBLE, String.valueOf(e.getMessage())));
            return;
        }
        int at = block.from(i);
        for (long index = 0; index < block.objects(i); index++) {
            account.add(Count.EVENTS, 1);
            Translator.Found found;
            try {
                found = translator.object(block.data(i), at, block.to(i));
            } catch (BadRecordException e) {
                int length = block.to(i) - at;
                bad(Stage.DECODE, e, block, i, index, DeadLetter.Raw.of(block.data(i), at, length, length));
                return;
            }
            object(found, block, i, index, at);
            at = found.end();
        }
        if (at < block.to(i)) {
            account.add(Count.EVENTS, 1);
            int length = block.to(i) - at;
            BadRecordException why =
                    BadRecordException.undecodable(length + " bytes follow the last object of the block");
            DeadLetter.Raw raw = DeadLetter.Raw.of(block.data(i), at, length, length);
            bad(Stage.DECODE, why, block, i, block.objects(i), raw);
        }
    }

    private void object(Translator.Found found, RawRecords block, int i, long index, int at) {
        if (!found.isKept()) {
            account.add(Count.FILTERED, 1);
            return;
        }
        try {
            end();
        } catch (BadRecordException e) {
            int length = found.end() - at;
            bad(Stage.TRANSFORM, e, block, i, index, DeadLetter.Raw.of(block.data(i), at, length, length));
        }
    }

    @Override
    public void close() {
        translator.close();
    }

    private void bad(Stage stage, BadRecordException why, RawRecords block, int i, long index, DeadLetter.Raw raw) {
        account.bad(why.fault().reason());
        letters.accept(new IngestLetter(ingest, stage, why, IngestLetter.Origin.of(block, i, index), raw));
    }
}
