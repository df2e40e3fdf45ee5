package io.thalweg.history;

import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowCodec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.OfflineSpec;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.tables.FlatRows;
import java.io.IOException;

/**
 * Collects rows of a view as records of its feature log. They depend on the rows alone, so the same input gives the same records.
 *
 * <p><b>Threads.</b> One.
 */
public abstract class LogRows {
    private static final long NO_LOAD = Long.MIN_VALUE;

    private LogRows() {}

    /** Creates an empty collection. */
    public static LogRows of(FeatureView view, OfflineSpec.Format format) {
        return format == OfflineSpec.Format.PACKED ? new Packed(view, NO_LOAD) : new Columns(view);
    }

    /**
     * Creates an empty collection of rows of a load.
     *
     * @param loadedMs when the load listed its table, epoch ms
     */
    public static LogRows ofLoad(FeatureView table, long loadedMs) {
        return new Packed(table, loadedMs);
    }

    /**
     * Adds the rows of a block.
     *
     * @throws IOException if a whole number has more than 64 bits and the format is columns; the message names the remedy
     */
    public abstract void add(RowBlock block) throws IOException;

    /** The approximate bytes collected. */
    public abstract long bytes();

    /** Returns the records collected and starts an empty collection. */
    public abstract ColumnBatch take();

    private static final class Packed extends LogRows {
        private final RowCodec codec;
        private final ColumnWriter records;
        private final long loadedMs;
        private long bytes;

        Packed(FeatureView view, long loadedMs) {
            codec = RowCodec.of(view);
            records = new ColumnWriter(loadedMs == NO_LOAD ? LogLayout.PACKED : LogLayout.LOADS);
            this.loadedMs = loadedMs;
        }

        @Override
        public void add(RowBlock block) {
            // Not when it was created, which the log of a repeated run would not share.
            byte[] packed = codec.encodeBlock(block, block.windowEndMs());
            records.begin();
            records.int64(0, Math.multiplyExact(block.windowEndMs(), 1_000));
            records.int64(1, block.shard());
            records.int64(2, block.rows());
            records.bytes(3, packed, 0, packed.length);
            if (loadedMs != NO_LOAD) {
                records.int64(4, Math.multiplyExact(loadedMs, 1_000));
            }
            records.end();
            bytes += packed.length;
        }

        @Override
        public long bytes() {
            return bytes;
        }

        @Override
        public ColumnBatch take() {
            bytes = 0;
            return records.take();
        }
    }

    private static final class Columns extends LogRows {
        private final FlatRows rows;
        private final int features;

        Columns(FeatureView view) {
            rows = new FlatRows(view);
            features = view.featureNames().size();
        }

        @Override
        public void add(RowBlock block) throws IOException {
            rows.add(block);
        }

        @Override
        public long bytes() {
            return 8L * features * rows.rows();
        }

        @Override
        public ColumnBatch take() {
            return rows.take();
        }
    }
}
