package io.thalweg.server.region;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.kernel.hex.HexTiling;
import io.thalweg.kernel.hex.TilePositions;
import io.thalweg.kernel.hex.TilePositions.Point;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TileFitTest {
    private static final TilePositions PLACES = new TilePositions(HexTiling.of(9));

    @ParameterizedTest
    @CsvSource({
        "New York, 40.71, -74.01",
        "Singapore, 1.35, 103.82",
        "São Paulo, -23.55, -46.63",
        "Paris, 48.86, 2.35",
        "Tromsø, 69.65, 18.96",
        "Longyearbyen, 78.22, 15.65",
        "Taveuni at the antimeridian, -16.80, 179.99"
    })
    void of_aPlace_isWithinAThousandthOfACellForEveryCell(String name, double lat, double lng) {
        HexTiling tiling = PLACES.tiling();
        long tile = tiling.tile(tiling.cell(lat, lng));
        TileFit fit = Objects.requireNonNull(TileFit.of(PLACES, tile), name);
        double error = 0;
        for (int slot = 0; slot < tiling.slots(); slot++) {
            Point centre = TilePositions.centre(tiling.cell(tile, slot));
            error = Math.max(error, Math.abs(fit.i(centre) - PLACES.i(slot)));
            error = Math.max(error, Math.abs(fit.j(centre) - PLACES.j(slot)));
            assertThat(Math.abs(Mercator.way(fit.x0(), Mercator.x(centre)))).isLessThan(fit.reach());
            assertThat(Math.abs(Mercator.y(centre) - fit.y0())).isLessThan(fit.reach());
        }
        System.out.printf("%s: at most %.6f cells%n", name, error);
        assertThat(error).as(name).isLessThan(0.001);
    }

    /** Samples the whole earth: every fit must be good, but near an edge of the icosahedron there may be none. */
    @Test
    void of_randomPlaces_isGoodOrMissing() {
        HexTiling tiling = PLACES.tiling();
        Random random = new Random(7);
        int missing = 0;
        double error = 0;
        for (int trial = 0; trial < 100; trial++) {
            double lat = Math.toDegrees(Math.asin(random.nextDouble(-0.98, 0.98)));
            long tile = tiling.tile(tiling.cell(lat, random.nextDouble(-180, 180)));
            TileFit fit = TileFit.of(PLACES, tile);
            if (fit == null) {
                missing++;
                continue;
            }
            for (int slot = 3; slot < tiling.slots(); slot += 11) {
                Point centre = TilePositions.centre(tiling.cell(tile, slot));
                error = Math.max(error, Math.abs(fit.i(centre) - PLACES.i(slot)));
                error = Math.max(error, Math.abs(fit.j(centre) - PLACES.j(slot)));
            }
        }
        System.out.printf("%d of 100 tiles without a fit, the others at most %.6f cells%n", missing, error);
        assertThat(error).isLessThan(0.015);
        assertThat(missing).isLessThan(20);
    }

    @Test
    void of_aPentagonsTileAndThePole_isMissing() {
        HexTiling tiling = PLACES.tiling();
        long pentagon = 0x841c001ffffffffL; // of resolution 4, in the Atlantic
        assertThat(PLACES.isLattice(pentagon)).isFalse();
        assertThat(TileFit.of(PLACES, pentagon)).isNull();
        assertThat(TileFit.of(PLACES, tiling.tile(tiling.cell(89.9, 10)))).isNull();
    }
}
