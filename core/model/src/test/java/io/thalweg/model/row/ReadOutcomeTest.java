package io.thalweg.model.row;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReadOutcomeTest {
    /** Times in minutes; ttl 10; {@code -} = none. */
    @ParameterizedTest
    @CsvSource({
        "100, 100, 100, true,  PRESENT, 100",
        "100, 99,  100, true,  PRESENT, 100",
        "110, 100, 100, true,  PRESENT, 100",
        "111, 100, 100, true,  OUTSIDE_MAX_AGE, 100",
        "111, 100, 111, true,  OUTSIDE_MAX_AGE, 100",
        "100, 100, 100, false, ZERO, 100",
        "100, 100, 99,  true,  ZERO, 100",
        "100, 99,  100, false, ZERO, 100",
        "100, 100, -,   false, ZERO, 100",
        "100, -,   100, true,  OUTSIDE_MAX_AGE, -",
        "90,  100, 100, true,  PRESENT, 100",
    })
    void latest_table_isAnsweredAsDefined(
            String now, String watermark, String row, boolean nonZero, ReadStatus status, String end) {
        assertThat(ReadOutcome.latest(ms(now), ms(watermark), Duration.ofMinutes(10), ms(row), nonZero))
                .isEqualTo(new ReadOutcome(status, ms(end)));
    }

    @ParameterizedTest
    @CsvSource({
        "100, 100, true,  PRESENT, 100",
        "100, 100, false, ZERO, 100",
        "100, 99,  true,  ZERO, 100",
        "100, -,   false, ZERO, 100",
    })
    void asOf_table_isAnsweredAsDefined(String asOf, String row, boolean nonZero, ReadStatus status, String end) {
        for (long within = 0; within < 60_000; within += 59_999) {
            assertThat(ReadOutcome.asOf(ms(asOf) + within, 60_000, ms(row), nonZero))
                    .isEqualTo(new ReadOutcome(status, ms(end)));
        }
    }

    private static long ms(String minutes) {
        return minutes.equals("-") ? ReadOutcome.NONE : Long.parseLong(minutes) * 60_000;
    }
}
