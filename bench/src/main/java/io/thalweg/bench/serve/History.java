package io.thalweg.bench.serve;

import io.thalweg.model.Definitions;
import io.thalweg.model.FeatureView;
import io.thalweg.model.row.StoredRow;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreKey;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A view whose history is read. A partition is what a store reads together: the rows of a key for a keyed view, those of 49
 * neighbouring cells for a view with rings. All partitions of a view have rows of the same window ends, one a minute.
 *
 * <p><b>Threads.</b> One.
 */
abstract class History {
    /** The number of partitions of each view. */
    static final int PARTITIONS = 10;

    static final long EVERY_MS = 60_000;
    /**
     * The number of newest window ends that have not expired; unless thousands are kept, there are none between them and
     * {@link #oldestMs}.
     */
    static final int FRESH = 5;

    private static final int MANY_ROWS = 6_000;
    /** The number of window ends of a partition in Cassandra, which begins at a multiple of it; the same for both kinds of views. */
    private static final long SPAN = 16_384;
    /** The last window end, with which also a span ends, so that all rows of a partition are in one. */
    static final long LAST_MS = (1_798 * SPAN - 1) * EVERY_MS;

    /** The contents of a partition. */
    enum Holding {
        /** A few rows. */
        FEW,
        /** A few rows, after thousands that have expired. */
        EXPIRED,
        /** Thousands of unexpired rows. */
        KEPT
    }

    /** The time as of which it is read. */
    enum Read {
        /** One of the last window ends. */
        NEWEST,
        /** Before the newest rows, where there are none; rows that have expired are older than a row may be. */
        GAP,
        /** The oldest window end that has not expired; all before it have. */
        OLDEST
    }

    private final String kind;
    private final Holding holding;
    private final FeatureView view;
    private final int ttlMinutes;
    private final int partitionRows;
    private final int ends;

    /**
     * Creates a view that has not been written yet.
     *
     * @param kind for people
     * @param definition with {@code %s} for its name and for {@code online}
     * @param partitionRows of a partition, of one window end
     */
    History(String kind, Holding holding, String definition, int ttlMinutes, int partitionRows) {
        this.kind = kind;
        this.holding = holding;
        this.ttlMinutes = ttlMinutes;
        this.partitionRows = partitionRows;
        this.ends = holding == Holding.FEW ? FRESH : (MANY_ROWS + partitionRows - 1) / partitionRows;
        String name = kind + "_" + holding.name().toLowerCase(Locale.ROOT);
        int historyMinutes = holding == Holding.KEPT ? MANY_ROWS : ttlMinutes;
        String online = "{ttl: %dm, history: %dm}".formatted(ttlMinutes, historyMinutes);
        this.view = Definitions.parse(definition.formatted(name, online), kind + ".yaml")
                .views()
                .get(0);
    }

    String kind() {
        return kind;
    }

    Holding holding() {
        return holding;
    }

    FeatureView view() {
        return view;
    }

    /** The title for people. */
    String title() {
        return "%s, %,d rows, %,d unexpired"
                .formatted(kind, rows(), holding == Holding.EXPIRED ? FRESH * partitionRows : rows());
    }

    /** The number of rows of a partition. */
    int rows() {
        return ends * partitionRows;
    }

    /** The number of window ends that have rows. */
    int ends() {
        return ends;
    }

    /** Returns the {@code i}th window end that has rows, from the newest. */
    long endMs(int i) {
        return i < FRESH || holding == Holding.KEPT ? LAST_MS - i * EVERY_MS : oldestMs() - (i - FRESH + 1) * EVERY_MS;
    }

    /** Whether rows of a window end have expired for a read at {@link #LAST_MS}. */
    boolean isExpired(long endMs) {
        return endMs < LAST_MS - keptMs();
    }

    /** How long after its window end a row is kept. */
    long keptMs() {
        return view.online().ttl().millis()
                + Objects.requireNonNull(view.online().history()).millis();
    }

    /** The oldest unexpired window end of a view with few unexpired rows; the same for every kind of partition. */
    private long oldestMs() {
        return LAST_MS - 2L * ttlMinutes * EVERY_MS;
    }

    /** Returns the time as of which a read is made. */
    long asOfMs(Read read, int random) {
        return switch (read) {
            case NEWEST -> LAST_MS - Math.floorMod(random, FRESH) * EVERY_MS;
            case GAP -> LAST_MS - FRESH * EVERY_MS;
            case OLDEST -> oldestMs();
        };
    }

    /** The reads that this kind of view supports. */
    abstract List<Read> reads();

    /** The number of different keys that can be read. */
    final int keys() {
        return partitionRows * PARTITIONS;
    }

    /** Returns a key. */
    abstract StoreKey key(int number);

    /** Writes a row for every key. */
    abstract void write(OnlineStore store, long endMs);

    /** Reads a key's row. */
    final @Nullable StoredRow read(OnlineStore store, int key, long asOfMs) {
        return store.readAsOf(view, List.of(key(key)), asOfMs).rows().get(0);
    }

    /** Returns the window end of the row that a read must find, by checking all of them; null if none may be found. */
    @Nullable
    Long expectedEndMs(long asOfMs) {
        Long newest = null;
        for (int i = 0; i < ends; i++) {
            long end = endMs(i);
            boolean wanted = end <= asOfMs && end >= asOfMs - reachMs() && !isExpired(end);
            newest = wanted && (newest == null || end > newest) ? (Long) end : newest;
        }
        return newest;
    }

    /** The longest time between a row's window end and the time of the read. */
    abstract long reachMs();

    /** Whether a row is the one that was written for a key at a window end. */
    abstract boolean isWritten(StoredRow row, int key, long endMs);

    /** Returns how the rows read differ from those written; empty if they do not. */
    String difference(OnlineStore store) {
        long begin = Math.min(endMs(ends - 1), oldestMs()) - EVERY_MS;
        long step = 1 + (LAST_MS - begin) / EVERY_MS / 300;
        for (long minutes = 0; LAST_MS - minutes * EVERY_MS >= begin; ) {
            long asOf = LAST_MS - minutes * EVERY_MS;
            for (int key = 0; key < keys(); key += Math.max(1, keys() / PARTITIONS)) {
                StoredRow row = read(store, key, asOf);
                Long end = expectedEndMs(asOf);
                if (row == null ? end != null : end == null || !isWritten(row, key, end)) {
                    return "%s, key %d as of %d minutes back is %s instead of the row of %s"
                            .formatted(view.name(), key, minutes, row, end);
                }
            }
            minutes += asOf > oldestMs() - FRESH * EVERY_MS ? 1 : step;
        }
        return "";
    }
}
