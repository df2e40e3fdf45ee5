package io.thalweg.server.region;

import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.kernel.hex.TilePositions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The fits of the tiles of one tiling, computed once each.
 *
 * <p><b>Threads.</b> Safe; two threads may compute the same fit.
 */
final class TileFits {
    /** About 2 MB. */
    private static final int KEPT = 4_096;

    private final TilePositions places;
    private final Map<Long, Optional<TileFit>> fits = new LinkedHashMap<>(64, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Optional<TileFit>> eldest) {
            return size() > KEPT;
        }
    };

    TileFits(HexTiling tiling) {
        places = new TilePositions(tiling);
    }

    TilePositions places() {
        return places;
    }

    /** Returns the fit of a tile; empty if it has none. */
    Optional<TileFit> of(long tile) {
        Optional<TileFit> known;
        synchronized (fits) {
            known = fits.get(tile);
        }
        if (known == null) {
            known = Optional.ofNullable(TileFit.of(places, tile));
            synchronized (fits) {
                fits.put(tile, known);
            }
        }
        return known;
    }
}
