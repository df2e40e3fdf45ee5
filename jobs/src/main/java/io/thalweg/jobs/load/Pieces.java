package io.thalweg.jobs.load;

import io.thalweg.model.FeatureView;
import io.thalweg.model.Finality;
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
abstract class Pieces<B> {
    /** A block and where it was read. */
    record Piece<B>(B block, Origin origin) {}

    abstract int rows(B block);

    abstract long bytes(B block);

    abstract long windowEndMs(B block);

    abstract boolean isFinal(B block);

    abstract B rows(B block, int from, int to);

    abstract void write(OnlineStore store, List<Piece<B>> pieces);

    /** One row as JSON, for a letter. */
    abstract byte[] text(B block, int row);

    int rows(List<Piece<B>> pieces) {
        return pieces.stream().mapToInt(piece -> rows(piece.block())).sum();
    }

    /** The first {@code count} rows of some pieces, and the rest. */
    List<List<Piece<B>>> cut(List<Piece<B>> pieces, int count) {
        List<Piece<B>> before = new ArrayList<>();
        List<Piece<B>> after = new ArrayList<>();
        int left = count;
        for (Piece<B> piece : pieces) {
            int rows = rows(piece.block());
            int taken = Math.min(left, rows);
            add(piece, 0, taken, before);
            add(piece, taken, rows, after);
            left -= taken;
        }
        return List.of(before, after);
    }

    private void add(Piece<B> piece, int from, int to, List<Piece<B>> into) {
        if (to - from == rows(piece.block())) {
            into.add(piece);
        } else if (to > from) {
            into.add(new Piece<>(rows(piece.block(), from, to), piece.origin()));
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
        int rows(RowBlock block) {
            return block.rows();
        }

        @Override
        long bytes(RowBlock block) {
            return block.heapBytes();
        }

        @Override
        long windowEndMs(RowBlock block) {
            return block.windowEndMs();
        }

        @Override
        boolean isFinal(RowBlock block) {
            return block.finality() == Finality.FINAL;
        }

        @Override
        RowBlock rows(RowBlock block, int from, int to) {
            return block.rows(from, to);
        }

        @Override
        void write(OnlineStore store, List<Piece<RowBlock>> pieces) {
            store.write(view, JoinedRows.of(pieces));
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
        int rows(KeyedRowBlock block) {
            return block.rows();
        }

        @Override
        long bytes(KeyedRowBlock block) {
            return block.heapBytes();
        }

        @Override
        long windowEndMs(KeyedRowBlock block) {
            return block.windowEndMs();
        }

        @Override
        boolean isFinal(KeyedRowBlock block) {
            return block.finality() == Finality.FINAL;
        }

        @Override
        KeyedRowBlock rows(KeyedRowBlock block, int from, int to) {
            return block.rows(from, to);
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
