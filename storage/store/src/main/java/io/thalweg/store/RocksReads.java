package io.thalweg.store;

import io.thalweg.model.view.FeatureView;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;

/**
 * One read of some keys' rows, in one or several lookups.
 *
 * <p><b>Threads.</b> One, which holds the folder open.
 */
final class RocksReads {
    private static final int MOST_ENDS = 64;

    private final RocksValues values;
    private final List<StoreKey> wanted;
    private final List<byte[]> addresses;
    private final RocksLayout layout;
    private final RowKeys keys;
    private final RowReader rows;

    /**
     * Creates a read that has not looked up anything yet.
     *
     * @param nowMs decides what has expired, epoch ms
     */
    RocksReads(RocksValues values, FeatureView view, Form form, List<StoreKey> wanted, long nowMs) {
        this.values = values;
        this.wanted = wanted;
        this.layout = form.layout();
        this.keys = form.keys();
        this.rows = new RowReader(view, wanted.size(), Retention.of(view).oldestMs(nowMs));
        this.addresses = wanted.stream().map(layout::address).toList();
    }

    /** The keys and values of a view. */
    record Form(RocksLayout layout, RowKeys keys) {
        static Form of(FeatureView view) {
            return new Form(RocksLayout.of(view), new RowKeys(view));
        }
    }

    private boolean isOpen() {
        return IntStream.range(0, wanted.size()).anyMatch(rows::isOpen);
    }

    /** Looks up the newest rows. */
    RowReader newest() throws RocksDBException {
        fill(values::newest, address -> List.of(keys.newest(address)));
        return rows;
    }

    /** Looks up, for each key, the row of the newest of these window ends that has one. */
    /*
     * Rows of a window end are stored together, so that they expire together. Each end that may have the row is read:
     * first the newest alone, because most rows are there, then twice as many at a time.
     */
    RowReader asOf(WindowEnds ends) throws RocksDBException {
        long newestMs = ends.newestMs();
        for (int atOnce = 1; newestMs >= ends.oldestMs() && isOpen(); ) {
            long[] some = LongStream.iterate(newestMs, end -> end >= ends.oldestMs(), end -> end - ends.everyMs())
                    .limit(atOnce)
                    .toArray();
            fill(
                    values::history,
                    address -> LongStream.of(some)
                            .mapToObj(end -> keys.history(end, address))
                            .toList());
            newestMs -= atOnce * ends.everyMs();
            atOnce = Math.min(2 * atOnce, MOST_ENDS);
        }
        return rows;
    }

    /**
     * Looks up the row of each key at a window end of its own.
     *
     * @param endsMs as many as there are keys
     */
    RowReader at(long[] endsMs) throws RocksDBException {
        for (int from = 0; from < endsMs.length; from += MOST_ENDS) {
            int to = Math.min(endsMs.length, from + MOST_ENDS);
            List<byte[]> asked = IntStream.range(from, to)
                    .mapToObj(i -> keys.history(endsMs[i], addresses.get(i)))
                    .toList();
            List<byte @Nullable []> found = values.history(asked);
            for (int i = from; i < to; i++) {
                take(found.get(i - from), List.of(i));
            }
        }
        return rows;
    }

    /** Looks values up. */
    private interface Look {
        List<byte @Nullable []> of(List<byte[]> keys) throws RocksDBException;
    }

    /**
     * Looks up the rows that are still missing; keys whose rows share a value share one lookup.
     *
     * @param keysOf the RocksDB keys of an address, equally many for each; the first value that contains the row counts
     */
    private void fill(Look look, Function<byte[], List<byte[]>> keysOf) throws RocksDBException {
        Map<ByteBuffer, List<Integer>> places = new LinkedHashMap<>();
        for (int i = 0; i < wanted.size(); i++) {
            if (rows.isOpen(i)) {
                places.computeIfAbsent(ByteBuffer.wrap(addresses.get(i)), address -> new ArrayList<>())
                        .add(i);
            }
        }
        if (places.isEmpty()) {
            return;
        }
        List<byte[]> asked = new ArrayList<>(places.size());
        places.values().forEach(indexes -> asked.addAll(keysOf.apply(addresses.get(indexes.get(0)))));
        Iterator<byte @Nullable []> found = look.of(asked).iterator();
        int each = asked.size() / places.size();
        for (List<Integer> indexes : places.values()) {
            for (int i = 0; i < each; i++) {
                take(found.next(), indexes);
            }
        }
    }

    private void take(byte @Nullable [] value, List<Integer> indexes) {
        for (int i : indexes) {
            if (value != null && rows.isOpen(i)) {
                rows.row(i, () -> layout.row(value, wanted.get(i)));
            }
        }
    }
}
