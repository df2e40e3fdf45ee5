package io.thalweg.qalm.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.thalweg.qalm.Observer;
import io.thalweg.qalm.Policy;
import io.thalweg.qalm.QalmConfig;
import io.thalweg.testing.Await;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SignalTest {
    private static final long SECOND = 1_000_000_000;

    private long now = 17 * SECOND;
    private double share = 0.96;
    private long millis = 5_000;
    private int asked;

    @Test
    void scaled_aroundItsMarks_isStraight() {
        assertThat(Signal.scaled(0, 20, 100)).isZero();
        assertThat(Signal.scaled(10, 20, 100)).isCloseTo(0.3, within(1e-9));
        assertThat(Signal.scaled(20, 20, 100)).isCloseTo(0.6, within(1e-9));
        assertThat(Signal.scaled(60, 20, 100)).isCloseTo(0.8, within(1e-9));
        assertThat(Signal.scaled(1_000, 20, 100)).isEqualTo(1);
        assertThat(Signal.scaled(-1, 20, 100))
                .as("the value of a system that does not know it")
                .isZero();
    }

    @Test
    void heap_fullAfterACollection_presses_untilNoneFollows() {
        DoubleSupplier heap = Signal.heap(() -> share, () -> now);
        assertThat(heap.getAsDouble()).as("a collection of before").isZero();
        share = 0.91;
        assertThat(heap.getAsDouble()).isCloseTo(0.8, within(1e-9));
        now += 9 * SECOND;
        share = 0.98;
        assertThat(heap.getAsDouble()).isEqualTo(1);
        now += 9 * SECOND;
        assertThat(heap.getAsDouble()).isEqualTo(1);
        now += 2 * SECOND;
        assertThat(heap.getAsDouble()).as("memory is no longer short").isZero();
        share = 0.5;
        assertThat(heap.getAsDouble()).isLessThan(0.6);
    }

    @Test
    void collections_takeTheirPartOfTheTime_press() {
        DoubleSupplier collections = Signal.collections(() -> millis, () -> now);
        now += SECOND;
        millis += 200;
        assertThat(collections.getAsDouble()).isCloseTo(0.6, within(1e-9));
        now += 2 * SECOND;
        millis += 1_200;
        assertThat(collections.getAsDouble()).isEqualTo(1);
        now += SECOND;
        assertThat(collections.getAsDouble()).isZero();
    }

    @Test
    void sampled_askedOften_asksSeldom() {
        DoubleSupplier sampled = Signal.sampled(SECOND, () -> now, () -> ++asked);
        for (int i = 0; i < 250; i++) {
            assertThat(sampled.getAsDouble()).isEqualTo(1 + i / 100);
            now += SECOND / 100;
        }
        assertThat(asked).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(Signal.class)
    void watch_thisProcess_isAPressure(Signal signal) {
        try (LiveQalm live = LiveQalm.start(new QalmConfig(1, 1), Policy.DEFAULT, Observer.NONE)) {
            DoubleSupplier pressure = signal.of(live.qalm(), System::nanoTime);
            System.gc();
            assertThat(pressure.getAsDouble()).isBetween(0.0, 1.0);
            live.watch(signal);
            Await.until("a pressure", () -> live.qalm().pressures().containsKey(signal.word()));
            assertThat(live.qalm().pressures().get(signal.word())).isBetween(0.0, 1.0);
        }
    }
}
