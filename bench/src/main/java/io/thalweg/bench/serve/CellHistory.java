package io.thalweg.bench.serve;

import io.thalweg.bench.publish.DemandRows;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.StoredRow;
import io.thalweg.store.OnlineStore;
import io.thalweg.store.StoreKey;
import java.util.Arrays;
import java.util.List;

/** The history of a view with rings: a partition is 49 neighbouring cells, and a read is for one window end. */
final class CellHistory extends History {
    private static final String DEFINITION =
            DemandRows.DEFINITION.replace("name: demand", "name: %s").replaceFirst("online: .*", "online: %s");

    private static final int TTL_MINUTES = 2;
    private static final int NEIGHBOURS = 49;
    private static final int CELLS = NEIGHBOURS * PARTITIONS;

    private final long[] cells = new long[CELLS];

    CellHistory(Holding holding) {
        super("cells", holding, DEFINITION, TTL_MINUTES, NEIGHBOURS);
        Arrays.setAll(cells, slot -> DemandRows.cell(0, slot));
    }

    @Override
    List<Read> reads() {
        return List.of(Read.NEWEST, Read.OLDEST);
    }

    @Override
    StoreKey key(int number) {
        return new StoreKey(cells[number], List.of());
    }

    @Override
    long reachMs() {
        return 0;
    }

    @Override
    void write(OnlineStore store, long endMs) {
        int features = view().featureNames().size();
        long[] sums = new long[CELLS * features];
        for (int cell = 0; cell < CELLS; cell++) {
            System.arraycopy(sums(cell, endMs), 0, sums, cell * features, features);
        }
        store.write(
                view(),
                List.of(new HexRowBlock(
                        BlockHead.ofFinal(view().qualifiedName(), 0, endMs),
                        DemandRows.cell(0, 0),
                        List.of(),
                        cells,
                        sums,
                        null)));
    }

    private long[] sums(int cell, long endMs) {
        return DemandRows.sample(endMs / EVERY_MS * CELLS + cell);
    }

    @Override
    boolean isWritten(StoredRow row, int key, long endMs) {
        return row.windowEndMs() == endMs && Arrays.equals(((StoredRow.OfSums) row).sums(), sums(key, endMs));
    }
}
