package io.thalweg.jobs.load;

import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.RowBlock;
import java.util.ArrayList;
import java.util.List;

/**
 * Merges rows that arrived one by one into blocks, because a store writes neighbours in one step and JSON has a record for each row.
 * Blocks of several rows stay as they are.
 */
final class RowCoalescer {
    private RowCoalescer() {}

    static List<RowBlock> of(List<LoadItem.Rows> rows) {
        List<RowBlock> joined = new ArrayList<>();
        List<HexRowBlock> run = new ArrayList<>();
        for (LoadItem.Rows each : rows) {
            boolean isCell = each.block() instanceof HexRowBlock;
            if (!run.isEmpty() && !(isCell && follows(run.get(run.size() - 1), (HexRowBlock) each.block()))) {
                joined.add(joined(run));
                run.clear();
            }
            if (isCell) {
                run.add((HexRowBlock) each.block());
            } else {
                joined.add(each.block());
            }
        }
        if (!run.isEmpty()) {
            joined.add(joined(run));
        }
        return joined;
    }

    private static boolean follows(HexRowBlock before, HexRowBlock next) {
        return before.rows() == 1
                && next.rows() == 1
                && next.cells()[0] > before.cells()[0]
                && next.windowEndMs() == before.windowEndMs()
                && next.finality() == before.finality()
                && next.group().equals(before.group())
                && (next.diskSizes() == null) == (before.diskSizes() == null);
    }

    private static HexRowBlock joined(List<HexRowBlock> run) {
        HexRowBlock first = run.get(0);
        if (run.size() == 1) {
            return first;
        }
        int[] firstSizes = first.diskSizes();
        int features = first.sums().length;
        int rings = firstSizes == null ? 0 : firstSizes.length;
        long[] cells = new long[run.size()];
        long[] sums = new long[run.size() * features];
        int[] sizes = new int[run.size() * rings];
        for (int row = 0; row < cells.length; row++) {
            HexRowBlock block = run.get(row);
            cells[row] = block.cells()[0];
            System.arraycopy(block.sums(), 0, sums, row * features, features);
            int[] own = block.diskSizes();
            if (own != null) {
                System.arraycopy(own, 0, sizes, row * rings, rings);
            }
        }
        return new HexRowBlock(
                first.head(), first.tile(), first.group(), cells, sums, firstSizes == null ? null : sizes);
    }
}
