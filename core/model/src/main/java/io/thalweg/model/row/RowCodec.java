package io.thalweg.model.row;

import io.thalweg.model.view.FeatureView;

/**
 * The {@code packed} codec of a view: one record per block for Kafka, one value per row for stores, specified byte by byte in
 * {@code docs/reference/packed.md}. All rows start with the same header, so that stores can order them without knowing their
 * view.
 *
 * <p><b>Errors.</b> Decoding throws IllegalArgumentException that names the offset, whatever the bytes are. A block or row of another
 * view, or with other features than the view has now, throws {@link ForeignRowException}.
 *
 * <p><b>Threads.</b> Immutable and safe to share.
 */
public sealed interface RowCodec permits HexRowCodec, KeyedRowCodec {
    /** Creates the codec for a view's rows. */
    static RowCodec of(FeatureView view) {
        return view.isKeyed() ? new KeyedRowCodec(view) : new HexRowCodec(view);
    }

    /** Identifies the features that a row was written with; part of each row, see packed.md. */
    int layout();

    /**
     * Encodes one row of a block for a store.
     *
     * @throws IllegalArgumentException if the block is not one of this view
     */
    byte[] encodeRow(RowBlock block, int row);

    /** Decodes what {@link #encodeRow} produced. */
    StoredRow decodeRow(byte[] bytes);

    /**
     * Encodes a block as one record.
     *
     * @param createdMs when the block was created, epoch ms
     * @throws IllegalArgumentException if the block is not one of this view
     */
    byte[] encodeBlock(RowBlock block, long createdMs);

    /** Decodes what {@link #encodeBlock} produced. */
    RowBlock decodeBlock(byte[] bytes);

    /** Returns the window end of an encoded row, epoch ms; reads the header only. */
    static long windowEndMs(byte[] row) {
        return header(row).windowEndMs();
    }

    /**
     * Compares encoded rows of one key by {@code (window_end, finality, sequence)}: above 0 if {@code a} must be kept. Reads the
     * headers only.
     */
    static int compareOrder(byte[] a, byte[] b) {
        return header(a).compareTo(header(b));
    }

    private static RowOrder header(byte[] row) {
        return RowOrder.read(HexRowCodec.start(row, HexRowCodec.ROW_MAGIC, "row"));
    }
}
