package io.thalweg.bench.layouts;

import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import io.thalweg.bench.stores.CassandraNode;
import io.thalweg.model.row.HexRowBlock;
import java.util.List;
import java.util.Objects;

/** A {@code map<text, double>} from features' names to their values. */
final class CassandraMap extends PlainCassandra {
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
