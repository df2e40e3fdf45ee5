package io.thalweg.server.region;

import io.thalweg.kernel.hex.AreaCells;
import io.thalweg.kernel.hex.GeoArea;
import io.thalweg.kernel.hex.GeoBox;
import io.thalweg.kernel.hex.GeoRing;
import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.model.row.CellText;
import io.thalweg.server.http.RefusedRequestException;
import io.thalweg.server.http.RequestProblems;
import io.thalweg.server.read.Readers;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The region of a scan: the cells whose centres are in an area, a disk of cells, or the cells below one. Each region knows the
 * path at which the caller gave it, under which its problems are reported.
 *
 * <p><b>Threads.</b> Immutable.
 */
sealed interface Region {
    /** The most cells of a region. */
    int MAX_CELLS = 200_000;

    int MAX_RING = 50;
    int MAX_POINTS = 1_000;

    /**
     * Its cells, ascending.
     *
     * @throws RefusedRequestException if there are more than {@link #MAX_CELLS}
     */
    long[] cells(int resolution);

    /** Estimates the number of its cells without searching for them. */
    double about(int resolution);

    /** Returns a box of longitudes and latitudes: west, south, east, north. Null, with a problem reported, if it is invalid. */
    static @Nullable Region bbox(String path, double[] edges, RequestProblems problems) {
        if (edges.length != 4) {
            problems.add(path, "must be 4 numbers, west, south, east, north, was " + edges.length);
            return null;
        }
        return area(path, () -> new GeoBox(edges[0], edges[1], edges[2], edges[3]), problems);
    }

    /** Returns the inside of a ring. Null, with a problem reported, if it is invalid. */
    static @Nullable Region polygon(String path, double[] latDeg, double[] lngDeg, RequestProblems problems) {
        if (latDeg.length > MAX_POINTS) {
            problems.add(path, "must have at most " + MAX_POINTS + " points, had " + latDeg.length + "; simplify it");
            return null;
        }
        return area(path, () -> new GeoRing(latDeg, lngDeg), problems);
    }

    private static @Nullable Region area(String path, Supplier<GeoArea> area, RequestProblems problems) {
        try {
            return new Area(path, area.get());
        } catch (IllegalArgumentException e) {
            problems.add(path, String.valueOf(e.getMessage()));
            return null;
        }
    }

    /** Returns the cells within a distance of one. Null, with a problem reported, if it is invalid. */
    static @Nullable Region disk(String path, String cell, long ring, int resolution, RequestProblems problems) {
        int before = problems.count();
        if (ring < 0 || ring > MAX_RING) {
            problems.add(path + ".ring", "must be from 0 to " + MAX_RING + ", was " + ring);
        }
        long centre = 0;
        try {
            centre = CellText.parse(cell, resolution);
        } catch (IllegalArgumentException e) {
            problems.add(path + ".cell", String.valueOf(e.getMessage()));
        }
        return problems.count() > before ? null : new Disk(centre, (int) ring);
    }

    /** Returns the cells below one. Null, with a problem reported, if it is invalid. */
    static @Nullable Region parent(String path, String cell, int resolution, RequestProblems problems) {
        try {
            long parent = CellText.parse(cell);
            if (HexTiling.resolution(parent) <= resolution) {
                return new Parent(path, parent);
            }
            problems.add(
                    path,
                    "must have at most the resolution of the view, " + resolution + ", was "
                            + HexTiling.resolution(parent));
        } catch (IllegalArgumentException e) {
            problems.add(path, String.valueOf(e.getMessage()));
        }
        return null;
    }

    private static RefusedRequestException tooLarge(String path, String cells, int resolution) {
        return RefusedRequestException.invalid(String.format(
                Locale.ROOT,
                "%s: has %s cells of resolution %d, at most %,d are read at once; choose a smaller region",
                path,
                cells,
                resolution,
                MAX_CELLS));
    }

    /** The cells whose centres are in an area. */
    record Area(String path, GeoArea area) implements Region {
        @Override
        public long[] cells(int resolution) {
            if (about(resolution) > 4.0 * MAX_CELLS) {
                throw tooLarge(resolution);
            }
            return AreaCells.in(new WhileWanted(area), resolution, MAX_CELLS).orElseThrow(() -> tooLarge(resolution));
        }

        private RefusedRequestException tooLarge(int resolution) {
            double about = Math.max(MAX_CELLS, about(resolution));
            return Region.tooLarge(path, String.format(Locale.ROOT, "about %,.0f", about), resolution);
        }

        @Override
        public double about(int resolution) {
            return AreaCells.about(area, resolution);
        }
    }

    /** An area that stops the search for its cells when the read is abandoned. */
    record WhileWanted(GeoArea area) implements GeoArea {
        @Override
        public boolean contains(double latDeg, double lngDeg) {
            Readers.requireWanted();
            return area.contains(latDeg, lngDeg);
        }

        @Override
        public boolean borders(double westDeg, double southDeg, double eastDeg, double northDeg) {
            Readers.requireWanted();
            return area.borders(westDeg, southDeg, eastDeg, northDeg);
        }

        @Override
        public double share() {
            return area.share();
        }
    }

    /** The cells within a distance of one, at most 7,651. */
    record Disk(long cell, int ring) implements Region {
        @Override
        public long[] cells(int resolution) {
            long[] cells = HexTiling.disk(cell, ring);
            Arrays.sort(cells);
            return cells;
        }

        @Override
        public double about(int resolution) {
            return HexTiling.regularDiskSize(ring);
        }
    }

    /** The cells below one. */
    record Parent(String path, long parent) implements Region {
        @Override
        public long[] cells(int resolution) {
            return AreaCells.below(parent, resolution, MAX_CELLS)
                    .orElseThrow(() -> tooLarge(
                            path, String.format(Locale.ROOT, "%,d", AreaCells.count(parent, resolution)), resolution));
        }

        @Override
        public double about(int resolution) {
            return (double) AreaCells.count(parent, resolution);
        }
    }
}
