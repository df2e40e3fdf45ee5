package io.thalweg.store.cassandra;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import io.thalweg.model.row.Progress;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The progress of the shards of views. A different number of shards starts a new generation; a lightweight transaction ensures that
 * only one writer starts it. Within a generation, the latest window end wins by its write time.
 *
 * <p><b>Threads.</b> Safe.
 */
final class ProgressTable {
    private final CassandraLink link;
    private final Schema.Ends statements;
    private final Map<String, Generation> generations = new ConcurrentHashMap<>();

    private record Generation(int number, int shards) {}

    ProgressTable(CassandraLink link, Schema.Ends statements) {
        this.link = link;
        this.statements = statements;
    }

    void write(Progress record, String doing) {
        Generation generation = generations.get(record.view());
        if (generation == null || generation.shards() != record.shards()) {
            generation = claim(record, doing);
        }
        send(
                statements
                        .set()
                        .bind(
                                TimeUnit.MILLISECONDS.toMicros(record.windowEndMs()),
                                record.shard(),
                                Instant.ofEpochMilli(record.windowEndMs()),
                                record.view(),
                                generation.number()),
                doing);
    }

    /** Returns the generation with this number of shards: the present one, or a new one. */
    private synchronized Generation claim(Progress record, String doing) {
        while (true) {
            Generation present = present(record.view(), doing);
            if (present != null && present.shards() == record.shards()) {
                generations.put(record.view(), present);
                return present;
            }
            int next = present == null ? 1 : present.number() + 1;
            // The next read shows whether this or another writer was first.
            send(statements.claim().bind(record.view(), next, record.shards()), doing);
            if (present != null) {
                send(statements.forget().bind(record.view(), present.number()), doing);
            }
        }
    }

    private void send(BoundStatement statement, String doing) {
        AsyncResultSet unused = link.await(link.write(statement), doing);
    }

    private @Nullable Generation present(String view, String doing) {
        Row row = link.await(
                        link.write(statements.select().bind(view).setConsistencyLevel(ConsistencyLevel.LOCAL_SERIAL)),
                        doing)
                .one();
        return row == null ? null : new Generation(row.getInt("generation"), row.getInt("shards"));
    }

    /** Returns the least end of all shards, absent until each has one. */
    OptionalLong watermark(String view, String doing) {
        Row row = link.await(link.read(statements.select().bind(view)), doing).one();
        if (row == null) {
            return OptionalLong.empty();
        }
        Map<Integer, Instant> ends = row.getMap("ends", Integer.class, Instant.class);
        return ends == null || ends.isEmpty() || ends.size() != row.getInt("shards")
                ? OptionalLong.empty()
                : ends.values().stream().mapToLong(Instant::toEpochMilli).min();
    }
}
