package io.thalweg.store.cassandra;

import io.thalweg.model.row.GroupCodec;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.view.FeatureView;
import io.thalweg.store.Neighbourhoods;
import io.thalweg.store.StoreKey;
import java.nio.ByteBuffer;

/**
 * Maps a view's rows to partitions and cells. A partition contains the rows of one group whose cells share the ancestor two levels
 * up, at most 49; that of a keyed view contains the row of one key. History is cut into spans of time, so that no partition grows
 * without bound.
 *
 * <pre>
 * key   ancestor (H3 index):8 group, or the key   bytes of {@link GroupCodec}
 * cell  the last two digits of the cell's index; 0 in keyed views
 * span  the first window end that the partition may hold
 * </pre>
 *
 * <p><b>Threads.</b> Immutable.
 */
abstract sealed class CassandraKeys {
    private final long spanMs;

    /** Receives rows {@code from} to {@code to}, the latter exclusive, which share a partition. */
    interface Partition {
        void of(ByteBuffer key, int from, int to);
    }

    private CassandraKeys(FeatureView view, int span) {
        spanMs = view.clock().everyMs() * span;
    }

    static CassandraKeys of(FeatureView view) {
        return view.isKeyed() ? new OfKeys(view) : new OfCells(view);
    }

    /** The partition of a row. */
    abstract ByteBuffer key(StoreKey key);

    /** The cell of a row in its partition. */
    abstract short cell(StoreKey key);

    /** Splits a block into the rows of each partition. */
    abstract void partitions(RowBlock block, Partition partition);

    /** The cell of a block's row in its partition. */
    abstract short cell(RowBlock block, int row);

    /** Returns the span of a window end. */
    long spanMs(long windowEndMs) {
        return Math.floorDiv(windowEndMs, spanMs) * spanMs;
    }

    /** Returns the previous span. */
    long before(long span) {
        return span - spanMs;
    }

    private static final class OfCells extends CassandraKeys {
        /** Window ends of a partition of 49 cells, some six thousand rows. */
        private static final int SPAN = 128;

        private final GroupCodec groups;
        private final Neighbourhoods neighbourhoods;

        OfCells(FeatureView view) {
            super(view, SPAN);
            groups = new GroupCodec(view.group());
            neighbourhoods = new Neighbourhoods(view);
        }

        @Override
        ByteBuffer key(StoreKey key) {
            return key(neighbourhoods.parent(key.cell()), groups.encode(key.group()));
        }

        private static ByteBuffer key(long parent, byte[] group) {
            return ByteBuffer.allocate(Long.BYTES + group.length)
                    .putLong(parent)
                    .put(group)
                    .flip();
        }

        @Override
        short cell(StoreKey key) {
            return (short) neighbourhoods.digits(key.cell());
        }

        @Override
        void partitions(RowBlock rows, Partition partition) {
            HexRowBlock block = (HexRowBlock) rows;
            byte[] group = groups.encode(block.group());
            long[] cells = block.cells();
            for (int from = 0, to; from < cells.length; from = to) {
                to = neighbourhoods.end(cells, from);
                partition.of(key(neighbourhoods.parent(cells[from]), group), from, to);
            }
        }

        @Override
        short cell(RowBlock block, int row) {
            return (short) neighbourhoods.digits(((HexRowBlock) block).cells()[row]);
        }
    }

    private static final class OfKeys extends CassandraKeys {
        /** Window ends of a partition of one key. */
        private static final int SPAN = 16_384;

        private final KeyCodec keys;

        OfKeys(FeatureView view) {
            super(view, SPAN);
            keys = new KeyCodec(view);
        }

        @Override
        ByteBuffer key(StoreKey key) {
            return ByteBuffer.wrap(keys.bytes(key.group()));
        }

        @Override
        short cell(StoreKey key) {
            return 0;
        }

        @Override
        void partitions(RowBlock rows, Partition partition) {
            KeyedRowBlock block = (KeyedRowBlock) rows;
            for (int row = 0; row < block.rows(); row++) {
                partition.of(ByteBuffer.wrap(block.keyBytes(keys, row)), row, row + 1);
            }
        }

        @Override
        short cell(RowBlock block, int row) {
            return 0;
        }
    }
}
