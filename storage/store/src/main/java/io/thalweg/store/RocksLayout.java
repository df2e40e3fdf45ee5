package io.thalweg.store;

import io.thalweg.model.row.GroupCodec;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.KeyCodec;
import io.thalweg.model.row.KeyedRowBlock;
import io.thalweg.model.row.PackedBundles;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowCodec;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.FeatureView;
import java.nio.ByteBuffer;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Maps the rows of a view to values in RocksDB.
 *
 * <p><b>Threads.</b> Immutable and safe to share.
 */
sealed interface RocksLayout {
    /** The layout of a view's rows. */
    static RocksLayout of(FeatureView view) {
        return view.isKeyed() ? new Single(view) : cells(view);
    }

    /** The layout of the rows of a view with cells. */
    static Bundled cells(FeatureView view) {
        return new Bundled(view);
    }

    /** Returns the address of the value that contains a key's row, as of {@link RowKeys}. */
    byte[] address(StoreKey key);

    /** Passes on the values that contain a block's rows, each with its address; no address twice. */
    void encode(RowBlock block, BiConsumer<byte[], byte[]> values);

    /**
     * Merges two values of an address; returns {@code kept} itself if nothing that arrived is newer.
     *
     * @param oldestMs rows of an earlier window end have expired, epoch ms
     * @throws IllegalArgumentException if {@code kept} cannot be decoded
     */
    byte[] merge(byte[] kept, byte[] arrived, long oldestMs);

    /**
     * Returns the row of a key in the value at its address; null if the value does not contain it.
     *
     * @throws IllegalArgumentException if the value cannot be decoded
     */
    @Nullable
    StoredRow row(byte[] value, StoreKey key);

    /** The greatest window end of a value's rows, epoch ms; reads the header only. */
    static long newestMs(byte[] value) {
        return isBundle(value) ? PackedBundles.newestMs(value) : RowCodec.windowEndMs(value);
    }

    /** Returns the number of rows in a value. */
    static int rows(byte[] value) {
        return isBundle(value) ? PackedBundles.rows(value) : 1;
    }

    private static boolean isBundle(byte[] value) {
        return value.length > 0 && (value[0] & 0xFF) == PackedBundles.MAGIC;
    }

    /**
     * A bundle contains the rows of up to 49 neighbouring cells of one group. Nearly all rows of a neighbourhood arrive
     * together, so a write reads, merges and writes one value instead of dozens.
     */
    /*
     * A merge operator needs no read, but RocksDB's own work for so many values took more time than everything else in
     * the process.
     */
    final class Bundled implements RocksLayout {
        private final GroupCodec groups;
        private final PackedBundles codec;

        private Bundled(FeatureView view) {
            groups = new GroupCodec(view.group());
            codec = new PackedBundles(view);
        }

        @Override
        public byte[] address(StoreKey key) {
            return address(codec.parent(key.cell()), groups.encode(key.group()));
        }

        PackedBundles codec() {
            return codec;
        }

        GroupCodec groups() {
            return groups;
        }

        static byte[] address(long parent, byte[] group) {
            return ByteBuffer.allocate(Long.BYTES + group.length)
                    .putLong(parent)
                    .put(group)
                    .array();
        }

        @Override
        public void encode(RowBlock rows, BiConsumer<byte[], byte[]> values) {
            HexRowBlock block = (HexRowBlock) rows;
            byte[] group = groups.encode(block.group());
            for (int from = 0, to; from < block.rows(); from = to) {
                to = codec.end(block, from);
                values.accept(address(codec.parent(block.cells()[from]), group), codec.encode(block, from, to));
            }
        }

        @Override
        public byte[] merge(byte[] kept, byte[] arrived, long oldestMs) {
            return codec.merge(kept, arrived, oldestMs);
        }

        @Override
        public @Nullable StoredRow row(byte[] value, StoreKey key) {
            return codec.row(value, key.cell());
        }
    }

    /** Keyed views have no neighbourhoods: each row is a value. */
    final class Single implements RocksLayout {
        private final KeyCodec keys;
        private final RowCodec codec;

        private Single(FeatureView view) {
            keys = new KeyCodec(view);
            codec = RowCodec.of(view);
        }

        @Override
        public byte[] address(StoreKey key) {
            return keys.bytes(key.group());
        }

        @Override
        public void encode(RowBlock rows, BiConsumer<byte[], byte[]> values) {
            KeyedRowBlock block = (KeyedRowBlock) rows;
            for (int row = 0; row < block.rows(); row++) {
                values.accept(block.keyBytes(keys, row), codec.encodeRow(block, row));
            }
        }

        @Override
        public byte[] merge(byte[] kept, byte[] arrived, long oldestMs) {
            return RowCodec.compareOrder(arrived, kept) > 0 ? arrived : kept;
        }

        @Override
        public StoredRow row(byte[] value, StoreKey key) {
            return codec.decodeRow(value);
        }
    }
}
