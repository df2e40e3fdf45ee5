package io.thalweg.store.cassandra;

import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.protocol.internal.util.Bytes;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.Retention;
import io.thalweg.store.RowReader;
import io.thalweg.store.StoreException;
import io.thalweg.store.StoreKey;
import io.thalweg.store.WindowEnds;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/**
 * One read: queries many partitions concurrently and takes their answers in request order.
 *
 * <p><b>Threads.</b> One.
 */
final class RowReads {
    private static final int MOST_SPANS = 64;

    private final CassandraLink link;
    private final Schema schema;
    private final FeatureView view;
    private final List<StoreKey> keys;
    private final CassandraKeys names;
    private final int layout;
    private final RowReader rows;
    private final Deque<CompletionStage<AsyncResultSet>> answers = new ArrayDeque<>();

    /** Binds the statement that reads some cells of a partition. */
    private interface Select {
        BoundStatement of(ByteBuffer key, List<Short> cells);
    }

    /**
     * Creates a read that has not read anything yet.
     *
     * @param nowMs decides what has expired, epoch ms
     */
    RowReads(CassandraLink link, Schema schema, FeatureView view, List<StoreKey> keys, long nowMs) {
        this.link = link;
        this.schema = schema;
        this.view = view;
        this.keys = keys;
        this.names = CassandraKeys.of(view);
        this.rows = new RowReader(view, keys.size(), Retention.of(view).oldestMs(nowMs));
        this.layout = rows.codec().layout();
    }

    /** Reads the newest rows; none if there is no table. */
    RowReader newest() {
        Schema.Newest table = schema.newest(view, false);
        if (table != null) {
            read((key, cells) -> table.select().bind(key, layout, cells));
        }
        return rows;
    }

    /** Reads, for each key, the row of the newest of these window ends that has one; none if there is no table. */
    RowReader asOf(WindowEnds ends) {
        Schema.History table = schema.history(view, false);
        if (table != null && ends.isOne()) {
            read((key, cells) -> at(table, ends.newestMs(), key, cells));
        } else if (table != null) {
            read(table, ends);
        }
        return rows;
    }

    /**
     * Reads one row for each key, each at its own window end. Finds no rows if there is no table.
     *
     * @param endsMs one for each key; all keys have cells
     */
    RowReader at(long[] endsMs) {
        Schema.History table = schema.history(view, false);
        if (table != null) {
            for (int i = 0; i < endsMs.length; i++) {
                StoreKey key = keys.get(i);
                ask(at(table, endsMs[i], names.key(key), List.of(names.cell(key))));
            }
            for (int i = 0; i < endsMs.length; i++) {
                for (Row found : next()) {
                    take(i, found);
                }
            }
        }
        return rows;
    }

    private BoundStatement at(Schema.History table, long endMs, ByteBuffer key, List<Short> cells) {
        Instant span = Instant.ofEpochMilli(names.spanMs(endMs));
        return table.selectAt().bind(key, span, layout, Instant.ofEpochMilli(endMs), cells);
    }

    /** Sends one statement for each partition. */
    private void read(Select select) {
        Map<ByteBuffer, List<Integer>> partitions = new LinkedHashMap<>();
        for (int i = 0; i < keys.size(); i++) {
            partitions
                    .computeIfAbsent(names.key(keys.get(i)), partition -> new ArrayList<>())
                    .add(i);
        }
        partitions.forEach((partition, indexes) -> {
            TreeSet<Short> cells = new TreeSet<>();
            indexes.forEach(i -> cells.add(names.cell(keys.get(i))));
            ask(select.of(partition, new ArrayList<>(cells)));
        });
        partitions.values().forEach(indexes -> {
            for (Row found : next()) {
                short cell = found.getShort("cell");
                indexes.stream().filter(i -> names.cell(keys.get(i)) == cell).forEach(i -> take(i, found));
            }
        });
    }

    /**
     * Walks back through the spans that may contain a key's row, doubling their number each time: most keys have a row near the
     * newest.
     */
    private void read(Schema.History table, WindowEnds ends) {
        Instant newest = Instant.ofEpochMilli(ends.newestMs());
        Instant oldest = Instant.ofEpochMilli(ends.oldestMs());
        long last = names.spanMs(ends.oldestMs());
        long span = names.spanMs(ends.newestMs());
        List<Integer> open = open();
        for (int most = 1; span >= last && !open.isEmpty(); most = Math.min(2 * most, MOST_SPANS)) {
            List<Instant> spans = new ArrayList<>();
            for (; span >= last && spans.size() < most; span = names.before(span)) {
                spans.add(Instant.ofEpochMilli(span));
            }
            for (int i : open) {
                ByteBuffer partition = names.key(keys.get(i));
                spans.forEach(each -> ask(table.selectUpTo().bind(partition, each, layout, newest, oldest)));
            }
            for (int i : open) {
                for (int each = 0; each < spans.size(); each++) {
                    next().forEach(found -> take(i, found));
                }
            }
            open = open();
        }
    }

    private List<Integer> open() {
        return IntStream.range(0, keys.size()).filter(rows::isOpen).boxed().toList();
    }

    private void ask(BoundStatement statement) {
        answers.add(link.read(statement));
    }

    /** Returns the only page of the next answer: a partition contains few rows. */
    private Iterable<Row> next() {
        try {
            return link.await(answers.remove(), "reading rows of " + view.qualifiedName())
                    .currentPage();
        } catch (StoreException e) {
            schema.forgetIfDropped(view, e);
            throw e;
        }
    }

    private void take(int key, Row found) {
        ByteBuffer value = found.getByteBuffer("row");
        if (value != null && rows.isOpen(key)) {
            rows.packed(key, Bytes.getArray(value));
        }
    }
}
