package io.thalweg.store.cassandra;

import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BatchStatement;
import com.datastax.oss.driver.api.core.cql.BatchStatementBuilder;
import com.datastax.oss.driver.api.core.cql.BatchType;
import com.datastax.oss.driver.api.core.cql.BatchableStatement;
import com.datastax.oss.driver.api.core.cql.Statement;
import com.datastax.oss.protocol.internal.util.Bytes;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowCodec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.Retention;
import io.thalweg.store.StoreException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * One write: a batch for each partition and window end, many in flight at once, every answer read.
 *
 * <p><b>Threads.</b> One.
 */
final class RowWrites {
    /** Batches in flight at once. */
    static final int IN_FLIGHT = 128;
    /** The size limit of one batch. */
    static final int BATCH_BYTES = 5 * 1024;
    /** The approximate overhead of a row beside its own bytes. */
    private static final int ROW_BYTES = 24;

    private static final int KEY_SHOWN = 100;
    private static final long MARGIN_MS = 60_000;
    /** Servers refuse expiry times after 2037; rows that should live longer than this never expire. */
    private static final long LONGEST_LIFE_SECONDS = TimeUnit.DAYS.toSeconds(5 * 365L);

    private final CassandraLink link;
    private final Schema schema;
    private final LongAdder expiredRows;
    private final FeatureView view;
    private final String doing;
    private final RowCodec codec;
    private final CassandraKeys names;
    private final WriteTime time;
    private final Schema.Newest newest;
    private final Schema.@Nullable History history;
    private final long oldestMs;
    private final Deque<Sent> sent = new ArrayDeque<>();
    private int batches;
    private int failed;
    private @Nullable StoreException failure;

    /** A batch in flight, with its partition for messages. */
    private record Sent(ByteBuffer key, long windowEndMs, CompletionStage<AsyncResultSet> answer) {}

    /**
     * Creates a write that has not written anything yet.
     *
     * @param nowMs decides what has expired, epoch ms
     * @param expiredRows counts rows that are not written
     */
    RowWrites(CassandraLink link, Schema schema, FeatureView view, long nowMs, LongAdder expiredRows) {
        Retention retention = Retention.of(view);
        this.link = link;
        this.schema = schema;
        this.expiredRows = expiredRows;
        this.view = view;
        this.doing = "writing rows of " + view.qualifiedName();
        this.codec = RowCodec.of(view);
        this.names = CassandraKeys.of(view);
        this.time = new WriteTime(view);
        this.newest = Objects.requireNonNull(schema.newest(view, true));
        this.history = retention.keepsHistory() ? schema.history(view, true) : null;
        this.oldestMs = retention.oldestMs(nowMs);
    }

    void write(RowBlock block) {
        if (isExpired(block.windowEndMs(), block.rows())) {
            return;
        }
        Times times = times(block.windowEndMs(), block.finality(), block.sequence());
        names.partitions(block, (key, from, to) -> {
            if (failure == null) {
                Batches of = new Batches(key, times);
                for (int row = from; row < to; row++) {
                    of.add(names.cell(block, row), codec.encodeRow(block, row));
                }
                of.send();
            }
        });
    }

    private boolean isExpired(long windowEndMs, int rows) {
        boolean expired = windowEndMs < oldestMs;
        expiredRows.add(expired ? rows : 0);
        return expired;
    }

    private Times times(long windowEndMs, Finality finality, long sequence) {
        return new Times(windowEndMs, time.of(windowEndMs, finality, sequence), lifeSeconds(windowEndMs, oldestMs));
    }

    /**
     * Returns the time to live of data of a window end, a minute more than it needs; 0 = without limit.
     *
     * @param oldestMs data of an earlier window end has expired, epoch ms
     */
    static int lifeSeconds(long windowEndMs, long oldestMs) {
        long seconds = TimeUnit.MILLISECONDS.toSeconds(windowEndMs - oldestMs + MARGIN_MS);
        return seconds > LONGEST_LIFE_SECONDS ? 0 : (int) seconds;
    }

    /** Waits for all batches in flight, even after a failure, so that the state of the store is settled. */
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
                    doing + " (key " + shown(first.key()) + ", window end " + Instant.ofEpochMilli(first.windowEndMs())
                            + ")");
        } catch (StoreException e) {
            schema.forgetIfDropped(view, e);
            failed++;
            failure = failure == null ? e : failure;
        }
    }

    private static String shown(ByteBuffer key) {
        String hex = Bytes.toHexString(key);
        return hex.length() <= KEY_SHOWN ? hex : hex.substring(0, KEY_SHOWN) + "…";
    }

    /** The values that rows of one window end share. */
    private record Times(long windowEndMs, long writeTime, int lifeSeconds) {}

    /** The rows of one partition and window end: one batch, or several if they are large. */
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
            inserts.add(newest.insert().bind(key, codec.layout(), cell, value, times.writeTime, times.lifeSeconds));
            if (history != null) {
                pastInserts.add(history.insert()
                        .bind(
                                key,
                                Instant.ofEpochMilli(names.spanMs(times.windowEndMs)),
                                codec.layout(),
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
                RowWrites.this.send(key, times.windowEndMs, (Statement<?>) statements.get(0));
            } else if (!statements.isEmpty()) {
                BatchStatementBuilder batch = BatchStatement.builder(BatchType.UNLOGGED);
                statements.forEach(batch::addStatement);
                RowWrites.this.send(key, times.windowEndMs, batch.build());
            }
            statements.clear();
        }
    }
}
