package io.thalweg.bench.layouts;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import io.thalweg.bench.layouts.Layout.Features;
import io.thalweg.bench.publish.DemandRows;
import io.thalweg.bench.stores.CassandraNode;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.store.Neighbourhoods;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
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

    /**
     * A column of doubles for each feature of a cell, 54 in all, or of all children of a parent, 378 in all: {@code c3_k0_1m} is a
     * feature of the child whose index ends in 3.
     */
    static final class CassandraColumns extends PlainCassandra {
        private final PreparedStatement insert;
        /** By child. */
        private final List<PreparedStatement> selects;

        /** Creates the layout. {@code levels} is 0 for one row per cell, 1 for one row per parent cell. */
        CassandraColumns(CassandraNode node, String table, int levels) {
            super(node.session(), levels);
            List<List<String>> columns = IntStream.range(0, levels == 0 ? 1 : 7)
                    .mapToObj(child -> Features.NAMES.stream()
                            .map(name -> levels == 0 ? name : "c" + child + "_" + name)
                            .toList())
                    .toList();
            List<String> all = columns.stream().flatMap(List::stream).toList();
            session.execute("CREATE TABLE %s (key bigint PRIMARY KEY, %s double)"
                    .formatted(CassandraNode.qualified(table), String.join(" double, ", all)));
            insert = prepareInsert(table, all);
            selects = columns.stream()
                    .map(names -> session.prepare("SELECT %s FROM %s WHERE key = ?"
                            .formatted(String.join(", ", names), CassandraNode.qualified(table))))
                    .toList();
        }

        @Override
        BoundStatement insert(HexRowBlock block, int from, int to, long writeTime) {
            BoundStatementBuilder bound = insert.boundStatementBuilder().setLong(0, cells.parent(block.cells()[from]));
            for (int row = from; row < to; row++) {
                double[] values = Features.of(block, row);
                int first = 1 + cells.digits(block.cells()[row]) * values.length;
                for (int i = 0; i < values.length; i++) {
                    bound = bound.setDouble(first + i, values[i]);
                }
            }
            int end = 1 + selects.size() * Features.NAMES.size();
            return bound.setLong(end, writeTime).setInt(end + 1, TTL_SECONDS).build();
        }

        @Override
        BoundStatement select(long key, long cell) {
            return selects.get(cells.digits(cell)).bind(key);
        }

        @Override
        double @Nullable [] features(Row row) {
            boolean whole = IntStream.range(0, Features.NAMES.size()).noneMatch(row::isNull);
            return whole
                    ? IntStream.range(0, Features.NAMES.size())
                            .mapToDouble(row::getDouble)
                            .toArray()
                    : null;
        }
    }

    /** A {@code map<text, double>} from features' names to their values. */
    static final class CassandraMap extends PlainCassandra {
        private final PreparedStatement insert;
        private final PreparedStatement select;

        CassandraMap(CassandraNode node, String table) {
            super(node.session(), 0);
            String name = CassandraNode.qualified(table);
            session.execute("CREATE TABLE " + name + " (key bigint PRIMARY KEY, features map<text, double>)");
            insert = prepareInsert(table, List.of("features"));
            select = session.prepare("SELECT features FROM " + name + " WHERE key = ?");
        }

        @Override
        BoundStatement insert(HexRowBlock block, int from, int to, long writeTime) {
            return insert.bind(block.cells()[from], Features.byName(Features.of(block, from)), writeTime, TTL_SECONDS);
        }

        @Override
        BoundStatement select(long key, long cell) {
            return select.bind(key);
        }

        @Override
        double[] features(Row row) {
            return Features.of(Objects.requireNonNull(row.getMap(0, String.class, Double.class)));
        }
    }
}
