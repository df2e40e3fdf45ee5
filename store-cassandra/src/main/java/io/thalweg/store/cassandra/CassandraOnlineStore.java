package io.thalweg.store.cassandra;

import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchStatementBuilder;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException;
import com.datastax.oss.protocol.internal.util.Bytes;
import io.thalweg.model.DeploymentConfig;
import io.thalweg.model.FeatureView;
import io.thalweg.model.Finality;
import io.thalweg.model.KeyCodec;
import io.thalweg.model.KeyedRowBlock;
import io.thalweg.model.PackedKeyedRows;
import io.thalweg.model.PackedRows;
import io.thalweg.model.Progress;
import io.thalweg.model.RowBlock;
import io.thalweg.model.StoredRow;
import io.thalweg.store.Layouts;
import io.thalweg.store.NewestRows;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.Retention;
import io.thalweg.store.StoreException;
import io.thalweg.store.StoreKey;
import java.nio.ByteBuffer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store in a Cassandra cluster, which any number of processes may share.
 *
 * <p><b>Order rule.</b> It is the write time of each row ({@link WriteTime}), so the database keeps it whoever else writes, on every
 * replica, in any order.
 *
 * <p><b>Expiry.</b> Readers judge by this store's clock. The server is told for how long a row is to live, and a minute more than it
 * needs, so a clock that runs otherwise (a simulated one, one that is wrong) changes nothing.
 *
 * <p><b>Away.</b> Reads fail while too few nodes are up, writes wait for them up to {@value #PATIENCE_SECONDS} s, and hold back
 * their caller meanwhile. Reads and writes ask a quorum of the local data center, so what was written is read.
 *
 * <p><b>Durability.</b> What a write returned from is in the commit log of a quorum; {@link #flush} adds nothing.
 *
 * <p><b>Threads.</b> Safe. Each thread that writes has at most {@value #IN_FLIGHT} batches of {@value #BATCH_BYTES} bytes on their
 * way.
 */
public final class CassandraOnlineStore implements OnlineStore {
    private static final Logger LOG = LoggerFactory.getLogger(CassandraOnlineStore.class);
    private static final int PATIENCE_SECONDS = 20;
    private static final int IN_FLIGHT = 128;
    private static final int BATCH_BYTES = 5 * 1024;
    /** About what a row takes beside its own bytes. */
    private static final int ROW_BYTES = 24;

    private static final int KEY_SHOWN = 100;
    private static final long MARGIN_MS = 60_000;
    /** Servers refuse what would expire after 2037; what is to stay that long stays. */
    private static final long LONGEST_LIFE_SECONDS = TimeUnit.DAYS.toSeconds(5 * 365L);

    private final CassandraLink link;
    private final Clock clock;
    private final Schema schema;
    private final ProgressTable progress;
    private final LongAdder expiredRows = new LongAdder();
    private final Set<String> unreadable = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    private CassandraOnlineStore(CassandraLink link, DeploymentConfig.Cassandra where, Clock clock) {
        this.link = link;
        this.clock = clock;
        this.schema = new Schema(link, where);
        this.progress = new ProgressTable(link, schema.progress());
    }

    /**
     * Connects to a store; makes its keyspace where there is none.
     *
     * @param clock decides what has expired
     * @throws StoreException if the cluster cannot be reached or refuses, or the keyspace is none of Thalweg's; the message names the
     *     address, never the password
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
    public void write(FeatureView view, List<RowBlock> blocks) {
        Layouts.requirePacked(view, "cassandra");
        String doing = "writing rows of " + view.qualifiedName();
        requireOpen(doing);
        PackedRows codec = new PackedRows(view);
        blocks.forEach(block -> requireView(view, block.view()));
        Writing writing = new Writing(view, doing, codec.layout());
        blocks.forEach(block -> writing.write(block, codec));
        writing.settleAll();
    }

    @Override
    public void writeKeyed(FeatureView view, List<KeyedRowBlock> blocks) {
        Layouts.requirePacked(view, "cassandra");
        String doing = "writing rows of " + view.qualifiedName();
        requireOpen(doing);
        blocks.forEach(block -> requireView(view, block.view()));
        PackedKeyedRows codec = new PackedKeyedRows(view);
        KeyCodec keys = new KeyCodec(view);
        Writing writing = new Writing(view, doing, codec.layout());
        blocks.forEach(block -> writing.write(block, keys, codec));
        writing.settleAll();
    }

    private static void requireView(FeatureView view, String blocks) {
        if (!blocks.equals(view.qualifiedName())) {
            throw new IllegalArgumentException(
                    "a block of view '" + blocks + "' cannot be written as view '" + view.qualifiedName() + "'");
        }
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
    public NewestRows<StoredRow> read(FeatureView view, List<StoreKey> keys) {
        Layouts.requirePacked(view, "cassandra");
        Reading reading = new Reading(view);
        OptionalLong watermarkMs = progress.watermark(view.qualifiedName(), reading.doing);
        Schema.Newest table = schema.newest(view, false);
        PackedRows codec = new PackedRows(view);
        return new NewestRows<>(
                watermarkMs,
                read(
                        reading,
                        keys,
                        codec,
                        table == null ? null : (key, cells) -> table.select().bind(key, codec.layout(), cells)));
    }

    @Override
    public List<@Nullable StoredRow> readAsOf(FeatureView view, List<StoreKey> keys, long asOfMs) {
        Retention.requireHistory(view);
        Reading reading = new Reading(view);
        Schema.History table = schema.history(view, false);
        PackedRows codec = new PackedRows(view);
        long endMs = view.windows().lastEndMs(asOfMs);
        Instant end = Instant.ofEpochMilli(endMs);
        Instant span = Instant.ofEpochMilli(reading.names.spanMs(endMs));
        return read(
                reading,
                keys,
                codec,
                table == null ? null : (key, cells) -> table.selectAt().bind(key, span, codec.layout(), end, cells));
    }

    private interface Select {
        BoundStatement of(ByteBuffer key, List<Short> cells);
    }

    /**
     * One statement for each partition that is asked for.
     *
     * @param select null where there is no table
     */
    private List<@Nullable StoredRow> read(
            Reading reading, List<StoreKey> keys, PackedRows codec, @Nullable Select select) {
        CassandraKeys names = reading.names;
        Map<StoreKey, List<Integer>> partitions = new LinkedHashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            StoreKey key = keys.get(i);
            long parent = names.neighbourhoods().parent(key.cell());
            partitions
                    .computeIfAbsent(new StoreKey(parent, key.group()), partition -> new ArrayList<>())
                    .add(i);
        }
        List<@Nullable StoredRow> rows = Arrays.asList(new @Nullable StoredRow[keys.size()]);
        if (select == null) {
            return rows;
        }
        partitions.forEach((partition, indexes) -> {
            Set<Short> cells = new TreeSet<>();
            indexes.forEach(i -> cells.add(names.cell(keys.get(i).cell())));
            reading.ask(select.of(names.key(partition.cell(), names.group(partition.group())), new ArrayList<>(cells)));
        });
        partitions.values().forEach(indexes -> {
            Map<Short, StoredRow> found = new HashMap<>();
            for (Row each : reading.next()) {
                StoredRow row = reading.row(each, codec::decodeRow, StoredRow::windowEndMs);
                if (row != null) {
                    found.put(each.getShort("cell"), row);
                }
            }
            indexes.forEach(i -> rows.set(i, found.get(names.cell(keys.get(i).cell()))));
        });
        return rows;
    }

    @Override
    public NewestRows<PackedKeyedRows.Row> readKeyed(FeatureView view, List<StoreKey> keys) {
        Layouts.requirePacked(view, "cassandra");
        Reading reading = new Reading(view);
        OptionalLong watermarkMs = progress.watermark(view.qualifiedName(), reading.doing);
        Schema.Newest table = schema.newest(view, false);
        PackedKeyedRows codec = new PackedKeyedRows(view);
        if (table == null) {
            return new NewestRows<>(watermarkMs, Arrays.asList(new PackedKeyedRows.@Nullable Row[keys.size()]));
        }
        keys.forEach(key ->
                reading.ask(table.select().bind(reading.names.key(key.group()), codec.layout(), List.of((short) 0))));
        List<PackedKeyedRows.@Nullable Row> rows = new ArrayList<>(keys.size());
        keys.forEach(key -> rows.add(reading.first(1, codec)));
        return new NewestRows<>(watermarkMs, rows);
    }

    /** Of the spans that may hold the row the newest that has one. */
    @Override
    public List<PackedKeyedRows.@Nullable Row> readKeyedAsOf(FeatureView view, List<StoreKey> keys, long asOfMs) {
        Retention.requireHistory(view);
        Reading reading = new Reading(view);
        Schema.History table = schema.history(view, false);
        PackedKeyedRows codec = new PackedKeyedRows(view);
        if (table == null) {
            return Arrays.asList(new PackedKeyedRows.@Nullable Row[keys.size()]);
        }
        long firstMs = Math.max(asOfMs - view.online().ttl().millis(), reading.oldestMs);
        List<Long> spans = new ArrayList<>();
        for (long span = reading.names.spanMs(asOfMs);
                span >= reading.names.spanMs(firstMs);
                span = reading.names.before(span)) {
            spans.add(span);
        }
        for (StoreKey key : keys) {
            ByteBuffer encoded = reading.names.key(key.group());
            spans.forEach(span -> reading.ask(table.selectUpTo()
                    .bind(
                            encoded,
                            Instant.ofEpochMilli(span),
                            codec.layout(),
                            Instant.ofEpochMilli(asOfMs),
                            Instant.ofEpochMilli(firstMs))));
        }
        List<PackedKeyedRows.@Nullable Row> rows = new ArrayList<>(keys.size());
        keys.forEach(key -> rows.add(reading.first(spans.size(), codec)));
        return rows;
    }

    @Override
    public OptionalLong watermark(String view) {
        String doing = "reading progress of " + view;
        requireOpen(doing);
        return progress.watermark(view, doing);
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

    /** A table may have been dropped: whoever comes next makes it anew, or finds none. */
    private void lookAgain(FeatureView view, StoreException failure) {
        if (failure.getCause() instanceof InvalidQueryException) {
            schema.forget(view);
        }
    }

    /** One call of {@link #write} or {@link #writeKeyed}: a batch for each partition, many on their way, each answer read. */
    private final class Writing {
        private final FeatureView view;
        private final String doing;
        private final int layout;
        private final CassandraKeys names;
        private final WriteTime time;
        private final Schema.Newest newest;
        private final Schema.@Nullable History history;
        private final long oldestMs;
        private final Deque<Sent> sent = new ArrayDeque<>();
        private int batches;
        private int failed;
        private @Nullable StoreException failure;

        /** A batch on its way: of which partition, for people. */
        private record Sent(ByteBuffer key, long windowEndMs, CompletionStage<AsyncResultSet> answer) {}

        Writing(FeatureView view, String doing, int layout) {
            Retention retention = Retention.of(view);
            this.view = view;
            this.doing = doing;
            this.layout = layout;
            this.names = new CassandraKeys(view);
            this.time = new WriteTime(view);
            this.newest = Objects.requireNonNull(schema.newest(view, true));
            this.history = retention.keepsHistory() ? schema.history(view, true) : null;
            this.oldestMs = retention.oldestMs(clock.millis());
        }

        void write(RowBlock block, PackedRows codec) {
            if (isExpired(block.windowEndMs(), block.rows())) {
                return;
            }
            byte[] group = names.group(block.group());
            long[] cells = block.cells();
            Times times = times(block.windowEndMs(), block.finality(), 0);
            for (int from = 0, to; from < cells.length && failure == null; from = to) {
                to = names.neighbourhoods().end(cells, from);
                Batches of = new Batches(names.key(names.neighbourhoods().parent(cells[from]), group), times);
                for (int row = from; row < to; row++) {
                    of.add(names.cell(cells[row]), codec.encodeRow(block, row));
                }
                of.send();
            }
        }

        void write(KeyedRowBlock block, KeyCodec keys, PackedKeyedRows codec) {
            if (isExpired(block.windowEndMs(), block.rows())) {
                return;
            }
            Times times = times(block.windowEndMs(), block.finality(), block.sequence());
            for (int row = 0; row < block.rows() && failure == null; row++) {
                Batches of = new Batches(ByteBuffer.wrap(block.keyBytes(keys, row)), times);
                of.add((short) 0, codec.encodeRow(block, row));
                of.send();
            }
        }

        private boolean isExpired(long windowEndMs, int rows) {
            boolean expired = windowEndMs < oldestMs;
            expiredRows.add(expired ? rows : 0);
            return expired;
        }

        private Times times(long windowEndMs, Finality finality, long sequence) {
            long seconds = TimeUnit.MILLISECONDS.toSeconds(windowEndMs - oldestMs + MARGIN_MS);
            return new Times(
                    windowEndMs,
                    time.of(windowEndMs, finality, sequence),
                    seconds > LONGEST_LIFE_SECONDS ? 0 : (int) seconds);
        }

        /** After a failure nothing more is sent, but what was sent is waited for: then it stands what was written. */
        void settleAll() {
            while (!sent.isEmpty()) {
                settle();
            }
            if (failure != null) {
                throw new StoreException(
                        failure.kind(),
                        failure.getMessage() + " [" + failed + " of " + batches + " batches sent were not written]",
                        failure.getCause());
            }
        }

        private void send(ByteBuffer key, long windowEndMs, Statement<?> statement) {
            if (sent.size() == IN_FLIGHT) {
                settle();
            }
            batches++;
            sent.add(new Sent(key, windowEndMs, link.write(statement)));
        }

        private void settle() {
            Sent first = sent.remove();
            try {
                AsyncResultSet unused = link.await(
                        first.answer(),
                        doing + " (key " + shown(first.key()) + ", window end "
                                + Instant.ofEpochMilli(first.windowEndMs()) + ")");
            } catch (StoreException e) {
                lookAgain(view, e);
                failed++;
                failure = failure == null ? e : failure;
            }
        }

        private static String shown(ByteBuffer key) {
            String hex = Bytes.toHexString(key);
            return hex.length() <= KEY_SHOWN ? hex : hex.substring(0, KEY_SHOWN) + "…";
        }

        /** What rows of one window end have in common. */
        private record Times(long windowEndMs, long writeTime, int lifeSeconds) {}

        /** The rows of one partition and window end: one batch, or several where they are large. */
        private final class Batches {
            private final ByteBuffer key;
            private final Times times;
            private final List<BatchableStatement<?>> inserts = new ArrayList<>();
            private final List<BatchableStatement<?>> pastInserts = new ArrayList<>();
            private int bytes;

            Batches(ByteBuffer key, Times times) {
                this.key = key;
                this.times = times;
            }

            void add(short cell, byte[] row) {
                if (bytes > 0 && bytes + row.length + ROW_BYTES > BATCH_BYTES) {
                    send();
                }
                bytes += row.length + ROW_BYTES;
                ByteBuffer value = ByteBuffer.wrap(row);
                inserts.add(newest.insert().bind(key, layout, cell, value, times.writeTime, times.lifeSeconds));
                if (history != null) {
                    pastInserts.add(history.insert()
                            .bind(
                                    key,
                                    Instant.ofEpochMilli(names.spanMs(times.windowEndMs)),
                                    layout,
                                    Instant.ofEpochMilli(times.windowEndMs),
                                    cell,
                                    value,
                                    times.writeTime,
                                    times.lifeSeconds));
                }
            }

            void send() {
                send(inserts);
                send(pastInserts);
                bytes = 0;
            }

            private void send(List<BatchableStatement<?>> statements) {
                if (statements.size() == 1) {
                    Writing.this.send(key, times.windowEndMs, (Statement<?>) statements.get(0));
                } else if (!statements.isEmpty()) {
                    BatchStatementBuilder batch = BatchStatement.builder(BatchType.UNLOGGED);
                    statements.forEach(batch::addStatement);
                    Writing.this.send(key, times.windowEndMs, batch.build());
                }
                statements.clear();
            }
        }
    }

    /** What is asked of many partitions at once, answered in the order asked. */
    private final class Reading {
        private final FeatureView view;
        private final String doing;
        private final CassandraKeys names;
        private final long oldestMs;
        private final Deque<CompletionStage<AsyncResultSet>> answers = new ArrayDeque<>();

        Reading(FeatureView view) {
            this.view = view;
            this.doing = "reading rows of " + view.qualifiedName();
            this.names = new CassandraKeys(view);
            this.oldestMs = Retention.of(view).oldestMs(clock.millis());
            requireOpen(doing);
        }

        void ask(BoundStatement statement) {
            answers.add(link.read(statement));
        }

        /** A partition holds few rows: they come as one page. */
        Iterable<Row> next() {
            try {
                return link.await(answers.remove(), doing).currentPage();
            } catch (StoreException e) {
                lookAgain(view, e);
                throw e;
            }
        }

        /** The first row that the next so many answers have. */
        PackedKeyedRows.@Nullable Row first(int count, PackedKeyedRows codec) {
            PackedKeyedRows.Row first = null;
            for (int i = 0; i < count; i++) {
                for (Row each : next()) {
                    PackedKeyedRows.Row row =
                            first != null ? first : row(each, codec::decodeRow, PackedKeyedRows.Row::windowEndMs);
                    first = row;
                }
            }
            return first;
        }

        /** What cannot be read is told of once, and is of no use to a reader. */
        <R> @Nullable R row(Row found, Function<byte[], R> decode, ToLongFunction<R> endMs) {
            ByteBuffer value = found.getByteBuffer("row");
            if (value == null) {
                return null;
            }
            try {
                R row = decode.apply(Bytes.getArray(value));
                return endMs.applyAsLong(row) < oldestMs ? null : row;
            } catch (IllegalArgumentException e) {
                if (unreadable.add(view.qualifiedName())) {
                    LOG.warn("rows of view {} are read as absent: {}", view.qualifiedName(), e.getMessage());
                }
                return null;
            }
        }
    }
}
