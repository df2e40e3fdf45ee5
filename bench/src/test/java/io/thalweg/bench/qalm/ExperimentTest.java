package io.thalweg.bench.qalm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class ExperimentTest {
    static final List<String> NAMES = Experiment.NAMES;

    private static double rate(Experiment experiment, double second) {
        return experiment.streams().stream()
                .mapToDouble(stream -> stream.perSecond().applyAsDouble(second))
                .sum();
    }

    @ParameterizedTest
    @FieldSource("NAMES")
    void of_eachName_isWhole(String name) {
        Experiment experiment = Experiment.of(name, 0.1, 60);
        assertThat(experiment.name()).isEqualTo(name);
        assertThat(experiment.seconds()).isGreaterThanOrEqualTo(60);
        assertThat(experiment.windows())
                .allSatisfy(window -> assertThat(window.from()).isLessThan(window.to()));
        assertThat(rate(experiment, -1)).as("the warm-up").isBetween(1.0, 0.8 * experiment.capacityPerSecond());
        double ms = experiment.streams().get(0).serviceMs();
        assertThat(experiment.workers() * 1e3 / ms)
                .as("workers ÷ service time")
                .isCloseTo(experiment.capacityPerSecond(), within(0.01 * experiment.capacityPerSecond()));
    }

    @Test
    void of_publishedRates_areThose() {
        Experiment degradation = Experiment.of("E1", 1, 90);
        assertThat(degradation.workers()).isEqualTo(160);
        assertThat(rate(degradation, 10)).isCloseTo(6_000, within(1e-6));
        assertThat(rate(degradation, 91)).isCloseTo(2_400, within(1e-6));
        assertThat(degradation.level("core")).isEqualTo(1);
        assertThat(rate(Experiment.of("E2", 1, 60), 10)).isCloseTo(4_600, within(1e-6));
        assertThat(rate(Experiment.of("E3", 1, 180), 179)).isCloseTo(1_810, within(1e-6));
    }

    @Test
    void of_unknown_namesWhatThereIs() {
        assertThatThrownBy(() -> Experiment.of("E99", 1, 60))
                .hasMessageContaining("E1, E2")
                .hasMessageContaining("E99");
    }
}
