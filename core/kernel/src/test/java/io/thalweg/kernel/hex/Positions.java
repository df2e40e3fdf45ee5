package io.thalweg.kernel.hex;

import java.util.List;
import java.util.Random;

/** Cells for tests, in particular the awkward ones of the globe. */
final class Positions {
    private Positions() {}

    static long randomCell(HexTiling tiling, Random random) {
        double lat = Math.toDegrees(Math.asin(random.nextDouble(-1, 1)));
        return tiling.cell(lat, random.nextDouble(-180, 180));
    }

    static long pentagon(int resolution, Random random) {
        List<Long> all = H3.CORE.getPentagons(resolution).stream().sorted().toList();
        return all.get(random.nextInt(all.size()));
    }

    /** Returns the cell after {@code steps} random steps from another. */
    static long walk(long from, int steps, Random random) {
        long at = from;
        for (int n = 0; n < steps; n++) {
            long[] near = HexTiling.disk(at, 1);
            at = near[random.nextInt(near.length)];
        }
        return at;
    }

    /** A cell at the border of its tile. */
    static long border(HexTiling tiling, Random random) {
        long cell = randomCell(tiling, random);
        while (tiling.slots() > 1) {
            long near = walk(cell, 1, random);
            if (tiling.tile(near) != tiling.tile(cell)) {
                return cell;
            }
            cell = near;
        }
        return cell;
    }

    /** A cell whose tile crosses an edge of H3's icosahedron. */
    static long icosahedronEdge(HexTiling tiling, Random random) {
        long cell = randomCell(tiling, random);
        while (H3.CORE.getIcosahedronFaces(tiling.tile(cell)).size() < 2) {
            cell = randomCell(tiling, random);
        }
        return cell;
    }
}
