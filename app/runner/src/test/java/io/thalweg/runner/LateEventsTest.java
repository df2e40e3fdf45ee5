package io.thalweg.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LateEventsTest {
    private long nanos = 1;
    private final LateEvents late = new LateEvents(List.of("demand"), () -> nanos);
    private final List<String> reports = new ArrayList<>();

    /** Lets a minute pass in which the job reaches these counts. */
    private String minute(long lateEvents, long events) {
        nanos += TimeUnit.MINUTES.toNanos(1);
        late.look(view -> new LateEvents.Counts(lateEvents, events, 1_767_290_400_000L), reports::add);
        return late.trouble();
    }

    @Test
    void look_mostEventsOfAMinuteLate_isReportedOnceUntilItEnds() {
        assertThat(minute(10, 20)).as("half").isEmpty();
        assertThat(minute(50, 61))
                .isEqualTo("view demand: 40 of 41 events of the last minute are late, behind the watermark"
                        + " 2026-01-01T18:00:00Z");
        assertThat(minute(60, 71)).isNotEmpty();
        assertThat(reports).hasSize(1);

        assertThat(minute(60, 100)).isEmpty();
        assertThat(minute(60, 100)).as("no events").isEmpty();
        assertThat(minute(61, 101)).isNotEmpty();
        assertThat(reports).hasSize(2);
    }

    @Test
    void look_beforeTheMinuteIsOver_doesNotJudge() {
        nanos += TimeUnit.SECONDS.toNanos(59);
        late.look(view -> new LateEvents.Counts(5, 5, 0), reports::add);
        assertThat(late.trouble()).isEmpty();
    }
}
