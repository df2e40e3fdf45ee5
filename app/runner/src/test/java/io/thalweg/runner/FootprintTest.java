package io.thalweg.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.thalweg.model.Definitions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FootprintTest {
    private static final Footprint LARGE = new Footprint(Samples.view(), 5_000_000, 6, 120_000);

    @Test
    void rows_areCellsTimesGroups() {
        assertThat(LARGE.rowsPerEnd()).isEqualTo(30e6);
        assertThat(LARGE.rowsPerSecond()).isEqualTo(500e3);
    }

    @Test
    void openPanes_coverTheSlideAndTheOutOfOrderness() {
        assertThat(LARGE.openPanes()).isEqualTo(2);
        assertThat(LARGE.openEvents()).isEqualTo(120_000.0 * 70);
        assertThat(LARGE.openBytes()).isEqualTo(8.4e6 * 48 + 8.4e6 * 16);
    }

    @Test
    void keptPanes_areBoundedByEventsAndByRows() {
        assertThat(LARGE.keptPanes()).isEqualTo(3);
        assertThat(LARGE.countedPerPane()).isEqualTo(7.2e6);
        assertThat(new Footprint(Samples.view(), 1_000, 2, 120_000).countedPerPane())
                .isEqualTo(2_000);
        assertThat(LARGE.keptBytes()).isCloseTo(7.2e6 * 3 * 8 * LARGE.haloFactor(), within(1e-3));
    }

    @Test
    void haloFactor_ringsWiden_grows() {
        double wide = new Footprint(
                        Definitions.parse(Samples.VIEW.replace("[0, 2]", "[0, 20]"), "wide.yaml")
                                .views()
                                .get(0),
                        1,
                        1,
                        1)
                .haloFactor();
        // (74.85 + 20) / 74.85, squared.
        assertThat(wide).isCloseTo(1.606, within(0.001));
        assertThat(LARGE.haloFactor()).isBetween(1.0, 1.1);
    }

    @Test
    void rowBytes_packedIsSmallerThanJson() {
        assertThat(LARGE.jsonRowBytes()).isBetween(150.0, 350.0);
        assertThat(LARGE.packedRowBytes()).isBetween(1.0, 30.0);
        assertThat(LARGE.storedRowBytes()).isBetween(LARGE.packedRowBytes(), LARGE.packedRowBytes() + 5);
    }

    @Test
    void storedRows_withHistory_countsWindowEnds() {
        assertThat(LARGE.storedRows()).isEqualTo(30e6);
        Footprint history = new Footprint(
                Definitions.parse(Samples.VIEW.replace("{ttl: 10m}", "{ttl: 10m, history: 1h}"), "history.yaml")
                        .views()
                        .get(0),
                10,
                1,
                1);
        assertThat(history.storedRows()).isEqualTo(10 * (1 + 70));
    }

    @ParameterizedTest
    @CsvSource({
        "0,0",
        "7,7",
        "999,999",
        "1000,1 k",
        "1234,1.23 k",
        "12345,12.3 k",
        "30000000,30 M",
        "999600,1 M",
        "2.5,2.5"
    })
    void count_isThreeDigitsAndAUnit(double number, String text) {
        assertThat(Units.count(number)).isEqualTo(text);
    }
}
