package io.thalweg.jobs.load;

import io.thalweg.model.FeatureRows;
import io.thalweg.model.FeatureView;
import io.thalweg.model.KeyedRowBlock;
import io.thalweg.model.KeyedRowJson;
import io.thalweg.model.RowBlock;
import io.thalweg.model.RowJson;
import io.thalweg.store.OnlineStore;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Blocks on their way to a store, and what the two kinds of views differ in there.
 *
 * @param <B> {@link RowBlock} or {@link KeyedRowBlock}
 */
abstract class Pieces<B extends FeatureRows<B>> {
    /** A block and where it was read. */
    record Piece<B extends FeatureRows<B>>(B block, Origin origin) {}

    abstract void write(OnlineStore store, List<Piece<B>> pieces);

    /** One row as JSON, for a letter. */
    abstract byte[] text(B block, int row);

    int rows(List<Piece<B>> pieces) {
        return pieces.stream().mapToInt(piece -> piece.block().rows()).sum();
    }

    /** The first {@code count} rows of some pieces, and the rest. */
    List<List<Piece<B>>> cut(List<Piece<B>> pieces, int count) {
        List<Piece<B>> before = new ArrayList<>();
        List<Piece<B>> after = new ArrayList<>();
        int left = count;
        for (Piece<B> piece : pieces) {
            int rows = piece.block().rows();
            int taken = Math.min(left, rows);
            add(piece, 0, taken, before);
            add(piece, taken, rows, after);
            left -= taken;
        }
        return List.of(before, after);
    }

    private void add(Piece<B> piece, int from, int to, List<Piece<B>> into) {
        if (to - from == piece.block().rows()) {
            into.add(piece);
        } else if (to > from) {
            into.add(new Piece<>(piece.block().rows(from, to), piece.origin()));
        }
    }

    /** Of a view with rings. */
    static final class WithRings extends Pieces<RowBlock> {
        private final FeatureView view;
        private final RowJson json;

        WithRings(FeatureView view) {
            this.view = view;
            this.json = new RowJson(view);
        }

        @Override
        void write(OnlineStore store, List<Piece<RowBlock>> pieces) {
            store.write(view, RowCoalescer.of(pieces));
        }

        @Override
        synchronized byte[] text(RowBlock block, int row) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            json.write(block, row, out);
            return out.toByteArray();
        }
    }

    /** Of a keyed view. */
    static final class Keyed extends Pieces<KeyedRowBlock> {
        private final FeatureView view;
        private final KeyedRowJson json;

        Keyed(FeatureView view) {
            this.view = view;
            this.json = new KeyedRowJson(view);
        }

        @Override
        void write(OnlineStore store, List<Piece<KeyedRowBlock>> pieces) {
            store.writeKeyed(view, pieces.stream().map(Piece::block).toList());
        }

        @Override
        synchronized byte[] text(KeyedRowBlock block, int row) {
            return json.value(block, row);
        }
    }
}
