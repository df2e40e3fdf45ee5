package io.thalweg.model.row;

import io.thalweg.model.view.FeatureView;
import java.io.ByteArrayOutputStream;

/**
 * Writes and reads a view's rows as JSON, one object each, without a line end; see {@code docs/reference/rows.md}.
 *
 * <p><b>Shape.</b> Fields in this order: {@code view}, the entities as defined, {@code window_end}, {@code finality}, {@code
 * sequence} in PARTIAL rows, {@code created} when given, {@code features}. The bytes depend only on the row, not on the JDK:
 * doubles are the shortest decimals that read back bit for bit, in the form of {@code Double.toString}.
 *
 * <p><b>Errors.</b> Reading throws IllegalArgumentException that names the field, the rule and the value, and {@link
 * ForeignRowException} for a row of another view or with other features.
 *
 * <p><b>Threads.</b> Not for use by several threads at once.
 */
public sealed interface RowJson permits HexRowJson, KeyedRowJson {
    /** Creates a writer and reader of a view's rows. */
    static RowJson of(FeatureView view) {
        return view.isKeyed() ? new KeyedRowJson(view) : new HexRowJson(view);
    }

    /** Appends row {@code row} of a block of this view in the form for files. */
    void write(RowBlock block, int row, ByteArrayOutputStream out);

    /** Encodes row {@code row} in the form for files. */
    default byte[] value(RowBlock block, int row) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        write(block, row, out);
        return out.toByteArray();
    }

    /** Encodes row {@code row} with {@code created}, in the form for Kafka. */
    byte[] value(RowBlock block, int row, long createdMs);

    /** Encodes the Kafka key of a row: {@code ["demand","892a…","17a2…"]}, entities in the view's order. */
    byte[] key(RowBlock block, int row);

    /** Encodes the Kafka key of a {@code packed} record; its second element is an object, which no entity value is. */
    byte[] blockKey(RowBlock block);

    /** Reads a row of this view. */
    ParsedRow parse(byte[] line);

    /** Reads a row of this view as a block of that one row. The shard and the tile, which JSON does not contain, are 0. */
    RowBlock decodeBlock(byte[] line);
}
