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
 * A table that changes slowly, held in memory and read again at intervals: its fields become fields of the events that name
 * one of its keys.
 *
 * <p><b>Away.</b> A source that cannot be read when the table is opened is an error. Later it is a warning: the last good copy
 * stays, until a reading succeeds. A table that has grown too large counts as one that cannot be read.
 *
 * <p><b>Keys</b> are compared as text, numbers as they are written: {@code 17} is {@code "17"}, {@code 1.0} is not {@code 1}.
 *
 * <p><b>Threads.</b> Safe; a reading replaces all rows at once, on a thread of its own.
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
     * Reads a table, and reads it again at each refresh.
     *
     * @param fields how many fields the rows of the source have
     * @param refresh from the end of one reading to the next
     * @param maxRows a table of more rows is refused, duplicates counted
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

    /** Reads the table again if it has changed; keeps what is there if that fails. Called by one thread at a time. */
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

    /** The rows of the last good reading. */
    LookupRows rows() {
        return rows;
    }

    void count(boolean hit) {
        (hit ? hits : misses).increment();
    }

    /** Events that were looked up and whose key was in the table. */
    public long hits() {
        return hits.sum();
    }

    /** Events that were looked up and whose key was not. */
    public long misses() {
        return misses.sum();
    }

    /** Readings that failed since the table was opened. */
    public long failures() {
        return failures.sum();
    }

    /** Different keys at hand. */
    public int size() {
        return rows.size();
    }

    /** When the source was last seen to hold what is at hand. */
    public Instant readAt() {
        return readAt;
    }

    /** For how long the source has not been seen to hold what is at hand. */
    public double ageSeconds() {
        return Duration.between(readAt, clock.instant()).toMillis() / 1e3;
    }

    /** Reads no more; what is at hand stays of use. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
