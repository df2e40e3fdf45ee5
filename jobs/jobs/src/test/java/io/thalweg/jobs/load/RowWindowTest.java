package io.thalweg.jobs.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RowWindowTest {
    private static final long TARGET = 1_000;

    private final RowWindow window = new RowWindow(160, 4, TARGET);

    @Test
    void answered_inTime_growsByABatchPerWindowUpToTheBound() {
        assertThat(window.rows()).isEqualTo(160);
        window.answered(160, TARGET, 0);
        assertThat(window.rows()).isEqualTo(320);
        window.answered(160, TARGET, 0);
        window.answered(160, TARGET, 0);
        assertThat(window.rows()).isBetween(450L, 480L);
        for (int i = 0; i < 10; i++) {
            window.answered(160, TARGET, 0);
        }
        assertThat(window.rows()).isEqualTo(640);
        assertThat(window.batchRows()).isEqualTo(160);
    }

    @Test
    void answered_tooLate_shrinksOnceForAllThatWasUnderWay() {
        window.answered(160, TARGET, 0);
        window.answered(160, TARGET + 1, 5_000);
        window.answered(160, TARGET + 1, 5_001);
        window.answered(160, TARGET + 1, 6_000);
        assertThat(window.rows()).isEqualTo(256);
        window.answered(160, TARGET + 1, 6_001);
        assertThat(window.rows()).isEqualTo(204);
    }

    @Test
    void refused_again_halvesBatchesDownToABoundAndGrowsBack() {
        for (int i = 0; i < 20; i++) {
            window.refused(i * TARGET);
        }
        assertThat(window.rows()).isEqualTo(10);
        assertThat(window.batchRows()).isEqualTo(10);
        for (int i = 0; i < 20; i++) {
            window.answered(window.batchRows(), TARGET, 100 * TARGET);
        }
        assertThat(window.batchRows()).isEqualTo(160);
    }
}
