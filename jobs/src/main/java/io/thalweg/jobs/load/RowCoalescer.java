package io.thalweg.jobs.load;

import io.thalweg.model.RowBlock;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts rows that came one by one together again: a store writes neighbours in one step, and JSON has a record for each. Blocks
 * of several rows stay as they are.
 */
final class RowCoalescer {
    private RowCoalescer() {}

    static List<RowBlock> of(List<Pieces.Piece<RowBlock>> pieces) {
        List<RowBlock> joined = new ArrayList<>();
        int from = 0;
        while (from < pieces.size()) {
            int to = from + 1;
            while (to < pieces.size()
                    && follows(pieces.get(to - 1).block(), pieces.get(to).block())) {
                to++;
            }
            joined.add(to - from == 1 ? pieces.get(from).block() : joined(pieces.subList(from, to)));
            from = to;
        }
        return joined;
    }

    private static boolean follows(RowBlock before, RowBlock next) {
        return before.rows() == 1
                && next.rows() == 1
                && next.cells()[0] > before.cells()[0]
                && next.windowEndMs() == before.windowEndMs()
                && next.finality() == before.finality()
                && next.group().equals(before.group())
                && (next.diskSizes() == null) == (before.diskSizes() == null);
    }

    private static RowBlock joined(List<Pieces.Piece<RowBlock>> pieces) {
        RowBlock first = pieces.get(0).block();
        int[] firstSizes = first.diskSizes();
        int features = first.sums().length;
        int rings = firstSizes == null ? 0 : firstSizes.length;
        long[] cells = new long[pieces.size()];
        long[] sums = new long[pieces.size() * features];
        int[] sizes = new int[pieces.size() * rings];
        for (int row = 0; row < cells.length; row++) {
            RowBlock block = pieces.get(row).block();
            cells[row] = block.cells()[0];
            System.arraycopy(block.sums(), 0, sums, row * features, features);
            int[] own = block.diskSizes();
            if (own != null) {
                System.arraycopy(own, 0, sizes, row * rings, rings);
            }
        }
        return new RowBlock(
                first.view(),
                first.shard(),
                first.tile(),
                first.group(),
                first.windowEndMs(),
                first.finality(),
                cells,
                sums,
                firstSizes == null ? null : sizes);
    }
}
