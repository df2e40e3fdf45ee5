package io.thalweg.bench.advertising;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.bench.advertising.LiveLoad.LiveCounts;
import org.junit.jupiter.api.Test;

class LiveCountsTest {
    private static final long FIRST_END_MS = AdLoad.windowEndMs(0);
    private static final long SECOND_END_MS = AdLoad.windowEndMs(1);

    private final LiveCounts counts = new LiveCounts(16);

    private void read(int campaign, long windowEndMs, long count) {
        counts.read(campaign, counts.newest(campaign), windowEndMs, count);
    }

    @Test
    void read_growingCountsAndTheNextWindow_isRight() {
        read(8, FIRST_END_MS, 3);
        read(8, FIRST_END_MS, 3);
        read(8, FIRST_END_MS, 5);
        counts.row(8, FIRST_END_MS, 5);
        read(8, SECOND_END_MS, 0);
        counts.row(8, FIRST_END_MS, 5);

        assertThatCode(counts::requireRight).doesNotThrowAnyException();
        assertThat(counts.compared()).isEqualTo(4);
    }

    @Test
    void read_fewerThanBefore_isNoticed() {
        read(8, FIRST_END_MS, 3);
        read(8, FIRST_END_MS, 2);

        assertThatThrownBy(counts::requireRight).hasMessageContaining("campaign 8 was answered less");
    }

    @Test
    void read_earlierWindow_isNoticed() {
        read(8, SECOND_END_MS, 1);
        read(8, FIRST_END_MS, 2);

        assertThatThrownBy(counts::requireRight).hasMessageContaining("less than an earlier one");
    }

    @Test
    void read_answeredBesideALaterOne_isRight() {
        long before = counts.newest(8);
        read(8, FIRST_END_MS, 3);
        counts.read(8, before, FIRST_END_MS, 2);

        assertThatCode(counts::requireRight).doesNotThrowAnyException();
    }

    @Test
    void row_fewerThanWereRead_isNoticed() {
        read(8, FIRST_END_MS, 3);
        counts.row(8, FIRST_END_MS, 2);

        assertThatThrownBy(counts::requireRight).hasMessageContaining("more than the row");
    }

    @Test
    void read_zeroEachTime_isNoticed() {
        for (int i = 1; i < LiveCounts.JUDGED; i++) {
            read(8, FIRST_END_MS, 0);
        }
        assertThatCode(counts::requireRight).doesNotThrowAnyException();

        read(8, SECOND_END_MS, 0);
        counts.row(8, FIRST_END_MS, 2);

        assertThatThrownBy(counts::requireRight).hasMessage("all 50 live reads were answered 0");
    }
}
