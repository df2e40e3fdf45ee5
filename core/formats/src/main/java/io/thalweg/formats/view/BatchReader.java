package io.thalweg.formats.view;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.DeadLetter;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.EventTimeReader;
import io.thalweg.formats.LineReader;
import io.thalweg.formats.PartitionClock;
import io.thalweg.formats.Projection;
import io.thalweg.formats.RecordDecoder;
import io.thalweg.formats.RecordOrigin;
import io.thalweg.formats.file.EventFile;
import io.thalweg.formats.file.EventFiles;
import io.thalweg.formats.file.TypedFiles;
import io.thalweg.formats.lookup.LookupTables;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.FeatureView;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads bounded input as one partition, event by event, and reports the outcome of each for every view: the whole path of this
 * package in its simplest form, including the decoding of formats with a schema. For commands that inspect a sample or recount
 * rows, and for tests.
 *
 * <p><b>Order.</b> Inputs in the order they are read, records in theirs; for each record one verdict per view, in the order
 * of the views. The clock of the partition continues from input to input.
 *
 * <p><b>Threads.</b> One.
 */
public final class BatchReader {
    /** Maximum groups remembered per view: enough for any sensible view, and a bound for the others. */
    private static final int MAX_GROUPS = 100_000;

    private final Projection projection;
    private final UnaryOperator<EventDecoder> joined;
    private final EventFiles files;
    private final List<ViewReader> readers;
    private final EventTimeReader times;
    private final PartitionClock clock;
    private final EventColumns events;

    private BatchReader(
            List<FeatureView> views,
            @Nullable LookupTables tables,
            Function<Projection, RecordDecoder> recordDecoder,
            TypedFiles typed) {
        Source source = views.get(0).source();
        projection = Projection.of(views);
        joined = decoder -> tables == null ? decoder : tables.joined(decoder, projection);
        files = new EventFiles(projection, joined, LineReader::lineNumber, recordDecoder, typed);
        readers = views.stream().map(view -> ViewReader.of(view, projection)).toList();
        times = EventTimeReader.of(source, projection);
        clock = PartitionClock.notStarted(source.maxOutOfOrderness().millis());
        events = new EventColumns(projection);
    }

    /**
     * Creates a reader for views that share one source and have no lookups.
     *
     * @throws IllegalArgumentException if there is no view or their sources differ
     */
    public static BatchReader of(List<FeatureView> views) {
        return of(views, null, TypedFiles.NONE);
    }

    /**
     * Creates a reader for views that share one source.
     *
     * @param tables tables that the views look up; null if there are none
     * @param typed opens Parquet files
     * @throws IllegalArgumentException as above
     */
    public static BatchReader of(List<FeatureView> views, @Nullable LookupTables tables, TypedFiles typed) {
        if (views.stream().map(FeatureView::source).distinct().count() != 1) {
            throw new IllegalArgumentException("views read together must share one source, were "
                    + views.stream().map(FeatureView::name).toList());
        }
        if (tables == null && views.stream().anyMatch(view -> !view.lookups().isEmpty())) {
            throw new IllegalArgumentException("views that look something up need their tables");
        }
        return new BatchReader(views, tables, RecordDecoder::createNaive, typed);
    }

    /** Creates a reader that decodes as jobs do, for tests. */
    static BatchReader ofJobs(List<FeatureView> views) {
        return new BatchReader(views, null, RecordDecoder::create, TypedFiles.NONE);
    }

    /** Reads a file of the source's format; see {@link #read(InputStream, String, Consumer)}. */
    public void read(Path file, Consumer<EventVerdict> verdicts) throws IOException {
        read(file, Long.MAX_VALUE, verdicts);
    }

    /** Reads the first {@code most} events of a file. */
    public void read(Path file, long most, Consumer<EventVerdict> verdicts) throws IOException {
        try (EventFile open = files.open(file)) {
            read(open, file.toString(), most, verdicts);
        }
    }

    /**
     * Reads a stream to its end and closes it. A record's offset in dead letters is its line number, from 1; its partition
     * is 0.
     *
     * @param name the name of the input in dead letters and messages
     * @throws IOException if it cannot be read
     * @throws IllegalArgumentException if it is CSV and its header is not well-formed
     */
    public void read(InputStream in, String name, Consumer<EventVerdict> verdicts) throws IOException {
        try (EventFile open = files.open(in, name)) {
            read(open, name, Long.MAX_VALUE, verdicts);
        }
    }

    /**
     * Judges the event of a record of a topic. The first event of a reader is not late for any view.
     *
     * @param origin the record's position, and its parts besides the value
     * @return one verdict per view, in the order of the views
     * @throws IllegalArgumentException if the format is CSV, which is supported in files only
     */
    public List<EventVerdict> judge(byte[] event, RecordOrigin origin, String source) {
        EventDecoder decoder = joined.apply(EventDecoder.create(projection));
        List<EventVerdict> verdicts = new ArrayList<>();
        events.clear();
        decoder.decode(event, 0, event.length, origin, events);
        judge(source, verdicts::add);
        events.clear();
        return verdicts;
    }

    /** The partition's clock after the events that were read so far. */
    public PartitionClock clock() {
        return clock;
    }

    private void read(EventFile from, String name, long most, Consumer<EventVerdict> verdicts) throws IOException {
        events.clear();
        for (long read = 0; read < most && from.next(events); read++) {
            judge(name, verdicts);
            events.clear();
        }
    }

    private void judge(String name, Consumer<EventVerdict> verdicts) {
        BadReason undecodable = events.decodeReason(0);
        if (undecodable != null) {
            allBad(undecodable, String.valueOf(events.decodeError(0)), name, verdicts);
            return;
        }
        BadReason badTime = times.read(events, 0);
        if (badTime != null) {
            allBad(badTime, times.detail(), name, verdicts);
            return;
        }
        long clockBeforeMs = clock.nowMs();
        clock.advance(times.timeMs());
        for (int v = 0; v < readers.size(); v++) {
            verdicts.accept(verdict(v, times.timeMs(), clockBeforeMs, name));
        }
    }

    private EventVerdict verdict(int v, long timeMs, long clockMs, String name) {
        ViewReader reader = readers.get(v);
        if (reader.groupCount() > MAX_GROUPS) {
            reader.resetGroups();
        }
        EventOutcome outcome = reader.judge(events, 0, timeMs, clockMs);
        if (outcome == EventOutcome.ACCEPTED) {
            return EventVerdict.accepted(v, timeMs, reader);
        }
        BadReason reason = reader.reason();
        DeadLetter letter = reason == null ? null : letter(v, reason, reader.detail(), name, timeMs);
        return EventVerdict.uncounted(v, outcome, timeMs, letter);
    }

    private void allBad(BadReason reason, String detail, String name, Consumer<EventVerdict> verdicts) {
        for (int v = 0; v < readers.size(); v++) {
            DeadLetter letter = letter(v, reason, detail, name, null);
            verdicts.accept(EventVerdict.uncounted(v, EventOutcome.BAD, null, letter));
        }
    }

    private DeadLetter letter(int v, BadReason reason, String detail, String name, @Nullable Long timeMs) {
        String view = readers.get(v).view().qualifiedName();
        return DeadLetter.of(view, reason, detail, name, events, 0, timeMs);
    }
}
