package io.thalweg.store;

import io.thalweg.kernel.keyed.KeyWord;
import io.thalweg.model.view.FeatureView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
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
    private final Addresses addresses;
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
        this.addresses = new Addresses(layout, wanted);
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
                    .mapToObj(i -> keys.history(endsMs[i], addresses.of(i)))
                    .toList();
            List<byte @Nullable []> found = values.history(asked);
            for (int i = from; i < to; i++) {
                take(found.get(i - from), i);
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
        List<byte[]> asked = new ArrayList<>(addresses.size());
        int[] begins = new int[addresses.size()];
        int[] ends = new int[addresses.size()]; // 0 = not asked
        for (int i = 0; i < wanted.size(); i++) {
            int address = addresses.number(i);
            if (rows.isOpen(i) && ends[address] == 0) {
                begins[address] = asked.size();
                asked.addAll(keysOf.apply(addresses.of(i)));
                ends[address] = asked.size();
            }
        }
        List<byte @Nullable []> found = look.of(asked);
        for (int i = 0; i < wanted.size(); i++) {
            int address = addresses.number(i);
            for (int value = begins[address]; value < ends[address]; value++) {
                take(found.get(value), i);
            }
        }
    }

    private void take(byte @Nullable [] value, int i) {
        if (value != null && rows.isOpen(i)) {
            rows.row(i, () -> layout.row(value, wanted.get(i)));
        }
    }

    /** The addresses of some keys, each numbered once, from 0 in the order of the keys. */
    private static final class Addresses {
        private static final int FREE = -1;

        private final byte[][] ofKeys;
        private final int[] numbers;
        private int size;

        Addresses(RocksLayout layout, List<StoreKey> keys) {
            ofKeys = new byte[keys.size()][];
            numbers = new int[keys.size()];
            // Open addressing, at most half full: each slot holds the first key of an address.
            int[] first = new int[Math.max(2, Integer.highestOneBit(keys.size()) * 4)];
            Arrays.fill(first, FREE);
            for (int i = 0; i < ofKeys.length; i++) {
                ofKeys[i] = layout.address(keys.get(i));
                int slot = (int) KeyWord.of(ofKeys[i]) & (first.length - 1);
                while (first[slot] != FREE && !Arrays.equals(ofKeys[first[slot]], ofKeys[i])) {
                    slot = (slot + 1) & (first.length - 1);
                }
                if (first[slot] == FREE) {
                    first[slot] = i;
                    numbers[i] = size++;
                } else {
                    numbers[i] = numbers[first[slot]];
                }
            }
        }

        /** The number of different addresses. */
        int size() {
            return size;
        }

        byte[] of(int key) {
            return ofKeys[key];
        }

        int number(int key) {
            return numbers[key];
        }
    }
}
