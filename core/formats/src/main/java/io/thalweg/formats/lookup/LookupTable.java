package io.thalweg.formats.lookup;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A slowly changing table, held in memory and refreshed at intervals: its fields become fields of the events that name one of its
 * keys.
 *
 * <p><b>Away.</b> If the source cannot be read when the table is opened, opening fails. Later, it is a warning: the last good
 * copy is used until a read succeeds. A table that has grown too large counts as unreadable.
 *
 * <p><b>Keys</b> are compared as text, numbers as they are written: {@code 17} is {@code "17"}, {@code 1.0} is not {@code 1}.
 *
 * <p><b>Threads.</b> Safe; a refresh replaces all rows at once, on a thread of its own.
 */
public final class LookupTable implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LookupTable.class);

    private final LookupSource source;
    private final int fields;
    private final int maxRows;
    private final Clock clock;
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "thalweg-lookup");
        made.setDaemon(true);
        return made;
    });
    private volatile LookupRows rows;
    private volatile Instant readAt;
    private @Nullable Object version;

    private LookupTable(LookupSource source, int fields, int maxRows, Clock clock) throws IOException {
        this.source = source;
        this.fields = fields;
        this.maxRows = maxRows;
        this.clock = clock;
        try {
            version = source.version();
            rows = readRows();
            readAt = clock.instant();
        } catch (IOException e) {
            throw new IOException("the lookup table " + source.name() + " cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * Reads a table and starts to refresh it.
     *
     * @param fields how many fields the rows of the source have
     * @param refresh from the end of one read to the next
     * @param maxRows a table of more rows, including duplicates, is refused
     * @param clock for the age of the rows
     * @throws IOException if the source cannot be read; the message names it
     */
    public static LookupTable open(LookupSource source, int fields, Duration refresh, int maxRows, Clock clock)
            throws IOException {
        LookupTable table = new LookupTable(source, fields, maxRows, clock);
        var unused = table.thread.scheduleWithFixedDelay(
                table::refresh, refresh.toMillis(), refresh.toMillis(), TimeUnit.MILLISECONDS);
        return table;
    }

    private LookupRows readRows() throws IOException {
        LookupRows read = new LookupRows(fields, maxRows);
        source.read(read);
        return read;
    }

    /** Reads the table again if it has changed; keeps the current rows if that fails. Called by one thread at a time. */
    void refresh() {
        try {
            Object now = source.version();
            if (now == null || !now.equals(version)) {
                rows = readRows();
                version = now;
            }
            readAt = clock.instant();
        } catch (IOException | RuntimeException e) {
            failures.increment();
            LOG.warn(
                    "the lookup table {} cannot be read, the copy of {} stays: {}",
                    source.name(),
                    readAt,
                    e.getMessage());
        }
    }

    int fields() {
        return fields;
    }

    /** The rows of the last successful read. */
    LookupRows rows() {
        return rows;
    }

    void count(boolean hit) {
        (hit ? hits : misses).increment();
    }

    /** The number of lookups whose key was in the table. */
    public long hits() {
        return hits.sum();
    }

    /** The number of lookups whose key was not in the table. */
    public long misses() {
        return misses.sum();
    }

    /** The number of reads that failed since the table was opened. */
    public long failures() {
        return failures.sum();
    }

    /** The number of distinct keys. */
    public int size() {
        return rows.size();
    }

    /** The last time that the current rows were known to match the source. */
    public Instant readAt() {
        return readAt;
    }

    /** The seconds since the current rows were last known to match the source. */
    public double ageSeconds() {
        return Duration.between(readAt, clock.instant()).toMillis() / 1e3;
    }

    /** Stops refreshing; the current rows remain usable. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
