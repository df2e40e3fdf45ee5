package io.thalweg.jobs.ingest;

import io.thalweg.formats.file.RawBlock;
import io.thalweg.formats.file.RawRecords;
import io.thalweg.formats.file.RecordFile;
import io.thalweg.jobs.function.FunctionHost;
import io.thalweg.jobs.ingest.account.IngestAccount;
import io.thalweg.jobs.ingest.deadletters.IngestDeadLetter;
import io.thalweg.jobs.ingest.deadletters.SavedDeadLetter;
import io.thalweg.jobs.ingest.file.IngestFile;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.ingest.target.RowForm;
import io.thalweg.jobs.ingest.target.RowPrinter;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.warehouse.StreamAddress;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Processes the messages of files as a job would, without writing anything.
 *
 * <p><b>Threads.</b> One.
 */
public final class IngestPreview implements Closeable {
    private static final int SHOWN = 5;

    private final IngestPlan plan;
    private final MessageLoop<?> loop;
    private final IngestAccount account = new IngestAccount();
    private final Map<String, Bad> bad = new TreeMap<>();

    /**
     * Creates a preview.
     *
     * @param streams the table of a warehouse, whose encoding may refuse rows; null for other sinks. It is not opened
     * @param rows receives the first {@value #SHOWN} rows, as JSON
     */
    public IngestPreview(IngestPlan plan, @Nullable StreamAddress streams, Consumer<byte[]> rows) {
        this.plan = plan;
        loop = loop(form(plan, streams), rows);
    }

    /** Returns the row form of the sink, which may refuse rows. */
    private static RowForm<?> form(IngestPlan plan, @Nullable StreamAddress streams) {
        if (streams != null) {
            return new RowForm.Encoded(streams, Duration.ZERO);
        }
        return plan.ingest().sink() instanceof Ingest.TopicSink
                ? new RowForm.Messages(plan.messages().bare(), Duration.ZERO)
                : new RowForm.Columns();
    }

    private <B> MessageLoop<B> loop(RowForm<B> form, Consumer<byte[]> rows) {
        return new MessageLoop<>(
                FunctionHost.here(UUID.randomUUID().toString()),
                plan,
                form.open(plan),
                account,
                this::note,
                new RowPrinter(plan, SHOWN, rows));
    }

    /**
     * The bad messages of one reason.
     *
     * @param first position and error of the first one
     */
    public record Bad(long count, String first) {
        private static Bad of(IngestDeadLetter letter) {
            return new Bad(
                    1,
                    "at %d of %s: %s"
                            .formatted(
                                    letter.origin().position(),
                                    letter.origin().source(),
                                    letter.why().detail()));
        }
    }

    private void note(IngestDeadLetter letter) {
        note(bad, letter);
    }

    static void note(Map<String, Bad> bad, IngestDeadLetter letter) {
        bad.merge(
                letter.why().fault().reason(),
                Bad.of(letter),
                (before, more) -> new Bad(before.count() + 1, before.first()));
    }

    /**
     * Reads a file.
     *
     * @param progress called after each block
     */
    public void read(IngestFile file, Runnable progress) throws IOException {
        try (RecordFile records = file.beginning().open(IngestPlan.limits(plan.ingest()))) {
            for (RawBlock block = records.read(); block != null; block = records.read()) {
                read(block);
                progress.run();
            }
        }
    }

    void read(RawRecords block) {
        for (int i = 0; i < block.size(); i++) {
            loop.process(block, i);
        }
        var unused = loop.take();
    }

    /**
     * Reads a letter.
     *
     * @param letter a letter of the same ingest
     */
    public void read(SavedDeadLetter letter) {
        loop.process(letter);
        var unused = loop.take();
    }

    public long events() {
        return account.get(IngestAccount.Count.EVENTS);
    }

    public long filtered() {
        return account.get(IngestAccount.Count.FILTERED);
    }

    public long badEvents() {
        return account.get(IngestAccount.Count.BAD);
    }

    public long kept() {
        return account.get(IngestAccount.Count.KEPT);
    }

    public long rows() {
        return account.get(IngestAccount.Count.ROWS);
    }

    long unknownFields() {
        return account.get(IngestAccount.Count.UNKNOWN_FIELDS);
    }

    @Override
    public void close() {
        loop.close();
    }

    /** Bad messages by reason. */
    public Map<String, Bad> bad() {
        return Map.copyOf(bad);
    }
}
