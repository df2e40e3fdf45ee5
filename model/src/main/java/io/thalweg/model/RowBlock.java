package io.thalweg.model;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The feature rows of one tile and group at one window end, as columns: what leaves the compute job and what the codecs
 * and stores take.
 *
 * <p><b>Shape.</b> Row {@code i} is {@code cells[i]}; its integer sum for ring {@code r} and window {@code w} stands at
 * {@code sums[i * features + r * windows + w]}, where {@code features = rings * windows}. The feature's value is {@code sum /
 * ((double) (diskSize * windowPanes))}: one division, see {@link #value}.
 *
 * <p><b>Threads.</b> Never changed once handed over.
 *
 * @param view qualified name
 * @param shard which of the job's shards owns the tile: its progress record follows these rows
 * @param tile H3 index of the owning tile
 * @param group values of the entities other than the cell, in the view's order: {@code String} (also for uuid, lower-case
 *     canonical), {@code Long} or {@code Boolean}
 * @param windowEndMs epoch ms
 * @param cells H3 indexes, ascending
 * @param diskSizes {@code cells.length * rings} true numbers of cells within each ring, or null where all are regular
 *     ({@code 1 + 3R(R+1)})
 */
public record RowBlock(
        String view,
        int shard,
        long tile,
        List<Object> group,
        long windowEndMs,
        Finality finality,
        long[] cells,
        long[] sums,
        int @Nullable [] diskSizes) {

    public int rows() {
        return cells.length;
    }

    /** Rows {@code from} to {@code to} as a block of their own. */
    public RowBlock slice(int from, int to) {
        int features = sums.length / cells.length;
        int rings = diskSizes == null ? 0 : diskSizes.length / cells.length;
        return new RowBlock(
                view,
                shard,
                tile,
                group,
                windowEndMs,
                finality,
                Arrays.copyOfRange(cells, from, to),
                Arrays.copyOfRange(sums, from * features, to * features),
                diskSizes == null ? null : Arrays.copyOfRange(diskSizes, from * rings, to * rings));
    }

    /** Cells within grid distance {@code ring} of a cell that has no pentagon near: {@code 1 + 3R(R+1)}. */
    public static int regularDiskSize(int ring) {
        return 1 + 3 * ring * (ring + 1);
    }

    /** The one place where a sum becomes a feature: a single IEEE division. */
    public static double value(long sum, int diskSize, int windowPanes) {
        return sum / (double) ((long) diskSize * windowPanes);
    }
}
