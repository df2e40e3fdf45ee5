package io.thalweg.bench.demand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CitiesTest {
    @Test
    void zones_fullScale_makeFiveMillionRows() {
        List<Cities.Zone> zones = new Cities(Load.of("full")).zones();
        assertThat(zones.stream().mapToLong(Cities.Zone::reach).sum()).isCloseTo(5_000_000, within(50_000L));
        assertThat(zones.stream().map(Cities.Zone::city).distinct().count()).isEqualTo(1_500);
    }

    @Test
    void zones_rivalsLoad_makeAQuarterOfAMillionRows() {
        assertThat(new Cities(Load.rivals())
                        .zones().stream().mapToLong(Cities.Zone::reach).sum())
                .isCloseTo(250_000, within(2_500L));
    }

    @Test
    void zones_ofOneProduct_shareNoCell() {
        Set<Long> seen = new HashSet<>();
        for (Cities.Zone zone : new Cities(Load.of("medium")).zones()) {
            for (long cell : zone.product() == 0 ? zone.cells() : new long[0]) {
                assertThat(seen.add(cell)).isTrue();
            }
        }
    }

    @Test
    void zoneOf_allDraws_followsTheReach() {
        Cities cities = new Cities(Load.rivals());
        int[] draws = new int[cities.zones().size()];
        for (int draw = 0; draw < 1 << 16; draw++) {
            draws[cities.zoneOf(draw)]++;
        }
        long total = cities.zones().stream().mapToLong(Cities.Zone::reach).sum();
        for (int z = 0; z < draws.length; z++) {
            double share = (double) cities.zones().get(z).reach() / total;
            assertThat(draws[z] / 65_536.0).isCloseTo(share, within(2 / 65_536.0));
        }
    }
}
