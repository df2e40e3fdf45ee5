package io.thalweg.bench.layouts;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import io.thalweg.bench.publish.DemandRows;
import io.thalweg.bench.stores.CassandraNode;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.store.Neighbourhoods;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A table of Cassandra as one would write it by hand: a row for each key, prepared statements, many of them in flight; the window
 * end is the write time, and there is a TTL.
 */
abstract class PlainCassandra implements Layout {
    private static final int IN_FLIGHT = 128;
    static final int TTL_SECONDS = (int) (DemandRows.VIEW.online().ttl().millis() / 1_000);

    /** The cells that share a row. */
    final Neighbourhoods cells;

    final CqlSession session;
    private final Deque<CompletionStage<AsyncResultSet>> sent = new ArrayDeque<>();

    /** Creates a layout. {@code levels} is 0 for one row per cell, 1 for one row per parent cell. */
    PlainCassandra(CqlSession session, int levels) {
        this.session = session;
        this.cells = new Neighbourhoods(DemandRows.VIEW, levels);
    }

    /** Prepares an insert of a key and these columns, followed by write time and TTL. */
    final PreparedStatement prepareInsert(String table, List<String> columns) {
        return session.prepare("INSERT INTO %s (key, %s) VALUES (?%s) USING TIMESTAMP ? AND TTL ?"
                .formatted(CassandraNode.qualified(table), String.join(", ", columns), ", ?".repeat(columns.size())));
    }

    /** Returns the statement that writes the rows from {@code from} to before {@code to} of a block, which share a key. */
    abstract BoundStatement insert(HexRowBlock block, int from, int to, long writeTime);

    /** Returns the statement that reads a cell. */
    abstract BoundStatement select(long key, long cell);

    /** Returns the features in the row that it finds. */
    abstract double @Nullable [] features(Row row);

    @Override
    public final void write(HexRowBlock block) {
        for (int from = 0, to; from < block.rows(); from = to) {
            to = cells.end(block.cells(), from);
            if (sent.size() == IN_FLIGHT) {
                AsyncResultSet unused = await();
            }
            sent.add(session.executeAsync(insert(block, from, to, 1_000 * block.windowEndMs())));
        }
        while (!sent.isEmpty()) {
            AsyncResultSet unused = await();
        }
    }

    private AsyncResultSet await() {
        return sent.remove().toCompletableFuture().join();
    }

    @Override
    public final List<double @Nullable []> read(long[] asked) {
        for (long cell : asked) {
            sent.add(session.executeAsync(select(cells.parent(cell), cell)));
        }
        List<double @Nullable []> all = new ArrayList<>(asked.length);
        for (int i = 0; i < asked.length; i++) {
            Row row = await().one();
            all.add(row == null ? null : features(row));
        }
        return all;
    }

    @Override
    public final void close() {
        // The node closes the session.
    }
}
