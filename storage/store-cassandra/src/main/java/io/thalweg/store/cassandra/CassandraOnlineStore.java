package io.thalweg.store.cassandra;

import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.protocol.internal.util.Bytes;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.Coverage;
import io.thalweg.store.ExampleKeys;
import io.thalweg.store.KeyedAsOf;
import io.thalweg.store.Layouts;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.ReadRows;
import io.thalweg.store.Retention;
import io.thalweg.store.StoreException;
import io.thalweg.store.StoreKey;
import io.thalweg.store.WindowEnds;
import java.time.Clock;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * The store in a Cassandra cluster, which any number of processes may share.
 *
 * <p><b>Order rule.</b> The write time of each row ({@link WriteTime}) encodes it, so the database keeps it with any number of writers, on
 * every replica, in any order.
 *
 * <p><b>Expiry.</b> Readers apply this store's clock. The server receives a row's time to live, and a minute more than it needs. So a
 * server clock that differs from this one (which may be simulated or wrong) changes nothing.
 *
 * <p><b>Away.</b> While too few nodes are up, reads fail; writes wait up to {@value #PATIENCE_SECONDS} s and block their caller meanwhile.
 * Reads and writes use a quorum of the local data center, so completed writes are visible to reads.
 *
 * <p><b>Durability.</b> A completed write is in the commit log of a quorum; {@link #flush} adds nothing.
 *
 * <p><b>Threads.</b> Safe. Each writing thread has at most {@value RowWrites#IN_FLIGHT} batches of {@value RowWrites#BATCH_BYTES} bytes in
 * flight.
 */
public final class CassandraOnlineStore implements OnlineStore {
    private static final int PATIENCE_SECONDS = 20;
    private static final int KEYS_PAGE = 1_000;
    private final CassandraLink link;
    private final Clock clock;
    private final Schema schema;
    private final ProgressTable progress;
    private final RegionsTable places;
    private final LongAdder expiredRows = new LongAdder();
    private volatile boolean closed;

    private CassandraOnlineStore(CassandraLink link, DeploymentConfig.Cassandra where, Clock clock) {
        this.link = link;
        this.clock = clock;
        this.schema = new Schema(link, where);
        this.progress = new ProgressTable(link, schema.progress());
        this.places = new RegionsTable(link, schema, clock);
    }

    /**
     * Connects to a store; creates its keyspace if there is none.
     *
     * @param clock decides what has expired
     * @throws StoreException if the cluster cannot be reached or refuses, or the keyspace is not Thalweg's; the message names the
     *   address, never the password
     */
    public static CassandraOnlineStore open(DeploymentConfig.Cassandra where, Clock clock) {
        return open(where, clock, Duration.ofSeconds(PATIENCE_SECONDS));
    }

    static CassandraOnlineStore open(DeploymentConfig.Cassandra where, Clock clock, Duration patience) {
        CassandraLink link = new CassandraLink(where, patience);
        try {
            return new CassandraOnlineStore(link, where, clock);
        } catch (StoreException e) {
            link.close();
            throw e;
        }
    }

    @Override
    public void write(FeatureView view, List<? extends RowBlock> blocks) {
        Layouts.requirePacked(view, "cassandra");
        requireOpen("writing rows of " + view.qualifiedName());
        blocks.forEach(block -> OnlineStore.requireView(view, block));
        RowWrites writes = new RowWrites(link, schema, view, clock.millis(), expiredRows);
        blocks.forEach(writes::write);
        writes.settleAll();
        places.note(view, blocks);
    }

    @Override
    public void writeProgress(Progress record) {
        if (record.shard() < 0 || record.shard() >= record.shards()) {
            throw new IllegalArgumentException("progress.shard must be from 0 to shards - 1, was " + record);
        }
        String doing = "writing progress of " + record.view();
        requireOpen(doing);
        progress.write(record, doing);
    }

    @Override
    public void flush() {
        requireOpen("flushing");
    }

    @Override
    public ReadRows read(FeatureView view, List<StoreKey> keys) {
        Layouts.requirePacked(view, "cassandra");
        OptionalLong watermarkMs = watermarkBeforeRows(view);
        return new RowReads(link, schema, view, keys, clock.millis()).newest().found(watermarkMs);
    }

    @Override
    public ReadRows readAsOf(FeatureView view, List<StoreKey> keys, long asOfMs) {
        WindowEnds ends = WindowEnds.asOf(view, asOfMs, Retention.of(view).oldestMs(clock.millis()));
        return view.isKeyed()
                ? KeyedAsOf.read(keys, ends, all -> read(view, all), some -> readAsOf(view, some, ends))
                : readAsOf(view, keys, ends);
    }

    private ReadRows readAsOf(FeatureView view, List<StoreKey> keys, WindowEnds ends) {
        OptionalLong watermarkMs = watermarkBeforeRows(view);
        return new RowReads(link, schema, view, keys, clock.millis()).asOf(ends).found(watermarkMs);
    }

    @Override
    public ReadRows readHistory(FeatureView view, StoreKey key, long[] endsMs) {
        OnlineStore.requireHistoryOfCells(view);
        OptionalLong watermarkMs = watermarkBeforeRows(view);
        return new RowReads(link, schema, view, Collections.nCopies(endsMs.length, key), clock.millis())
                .at(endsMs)
                .found(watermarkMs);
    }

    @Override
    public List<Coverage> coverage(FeatureView view) {
        requireOpen("listing places of " + view.qualifiedName());
        return places.coverage(view);
    }

    /** Reads keys in the order of their tokens. */
    @Override
    public List<List<Object>> exampleKeys(FeatureView view, String prefix, int most) {
        String doing = "listing keys of " + view.qualifiedName();
        requireOpen(doing);
        ExampleKeys keys = new ExampleKeys(view, prefix, most);
        Schema.Newest table = schema.newest(view, false);
        if (table == null) {
            return keys.found();
        }
        AsyncResultSet page = link.await(link.read(table.keys().bind().setPageSize(KEYS_PAGE)), doing);
        page.currentPage().forEach(row -> keys.add(key(row)));
        while (keys.isOpen() && page.hasMorePages()) {
            page = link.await(page.fetchNextPage(), doing);
            page.currentPage().forEach(row -> keys.add(key(row)));
        }
        return keys.found();
    }

    private static byte[] key(Row row) {
        return Bytes.getArray(Objects.requireNonNull(row.getByteBuffer("key")));
    }

    private OptionalLong watermarkBeforeRows(FeatureView view) {
        String doing = "reading rows of " + view.qualifiedName();
        requireOpen(doing);
        return progress.watermark(view.qualifiedName(), doing);
    }

    @Override
    public OptionalLong watermark(String view) {
        String doing = "reading progress of " + view;
        requireOpen(doing);
        return progress.watermark(view, doing);
    }

    @Override
    public Optional<String> alias(String name) {
        String doing = "reading the alias " + name;
        requireOpen(doing);
        Schema.Aliases statements = schema.aliases(false);
        if (statements == null) {
            return Optional.empty();
        }
        Row row = link.await(link.read(statements.select().bind(name)), doing).one();
        return row == null ? Optional.empty() : Optional.ofNullable(row.getString("view_name"));
    }

    @Override
    public void setAlias(String name, String view) {
        String doing = "setting the alias " + name;
        requireOpen(doing);
        AsyncResultSet unused = link.await(
                link.write(Objects.requireNonNull(schema.aliases(true)).insert().bind(name, view)), doing);
    }

    @Override
    public long expiredRows() {
        return expiredRows.sum();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            link.close();
        }
    }

    private void requireOpen(String doing) {
        if (closed) {
            throw new StoreException("the store " + link.place() + " is closed, it cannot go on " + doing);
        }
    }
}
