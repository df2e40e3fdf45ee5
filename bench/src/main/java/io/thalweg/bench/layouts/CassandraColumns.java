package io.thalweg.bench.layouts;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.BoundStatementBuilder;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import io.thalweg.bench.stores.CassandraNode;
import io.thalweg.model.row.HexRowBlock;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A column of doubles for each feature of a cell, 54 in all, or of all children of a parent, 378 in all: {@code c3_k0_1m} is a
 * feature of the child whose index ends in 3.
 */
final class CassandraColumns extends PlainCassandra {
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
