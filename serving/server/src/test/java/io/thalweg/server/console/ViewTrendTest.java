package io.thalweg.server.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ViewTrendTest {
    private static final int EVERY_S = 5;

    private final ViewTrend trend = new ViewTrend();

    /** Adds samples of a job that reads 100 events a second and writes 6,000 rows at each window end. */
    private void run(int fromS, int toS, int windowS) {
        for (int second = fromS; second <= toS; second += EVERY_S) {
            trend.add(new ViewTrend.Sample(second, 100.0 * second, 6_000.0 * (second / windowS), second / 60, 7, 1.5));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 60, 600})
    void rowsPerSecond_burstsAtWindowEnds_areTheRowsOfAWindowWheneverItIsRead(int windowS) {
        run(0, 3 * windowS, windowS);
        for (int second = 3 * windowS + EVERY_S; second < 6 * windowS; second += EVERY_S) {
            run(second, second, windowS);
            assertThat(trend.rowsPerSecond()).hasValue(6_000.0 / windowS);
        }
    }

    @Test
    void rowsPerSecond_nextBurstIsOverdue_falls() {
        run(0, 300, 60);
        for (int second = 305; second <= 600; second += EVERY_S) {
            trend.add(new ViewTrend.Sample(second, 30_000, 30_000, 5, 7, 1.5));
        }
        assertThat(trend.rowsPerSecond().orElseThrow()).isLessThan(25);
    }

    @Test
    void rates_tooFewSamples_areUnknown() {
        assertThat(trend.eventsPerSecond()).isEmpty();
        run(0, 0, 60);
        assertThat(trend.eventsPerSecond()).isEmpty();
        run(5, 100, 60);
        assertThat(trend.rowsPerSecond()).as("one burst").isEmpty();
        assertThat(trend.eventsPerSecond().orElseThrow()).isCloseTo(100, within(1e-9));
    }

    @Test
    void eventsPerSecond_loadChanges_isThatOfTheLastMinute() {
        run(0, 600, 60);
        for (int second = 605; second <= 720; second += EVERY_S) {
            trend.add(new ViewTrend.Sample(second, 60_000, 60_000, 5, 7, 1.5));
        }
        assertThat(trend.eventsPerSecond()).hasValue(0);
    }

    @Test
    void add_countsBeginAgain_forgetsTheJobBefore() {
        run(0, 600, 60);
        run(5, 10, 60);
        assertThat(trend.eventsPerSecond()).hasValue(100);
    }

    @Test
    void write_uncounted_isNull() {
        run(0, 10, 60);
        trend.add(new ViewTrend.Sample(15, 1_600, Double.NaN, Double.NaN, Double.NaN, Double.NaN));
        ObjectNode node = new ObjectMapper().createObjectNode();

        trend.write(node);

        assertThat(node.toString())
                .isEqualTo("{\"rates\":{\"events\":106.66666666666667},\"recent\":{\"every_ms\":5000,"
                        + "\"events\":[500.0,500.0,600.0],\"rows\":[0.0,0.0,null],\"bad_and_late\":[0.0,0.0,null],"
                        + "\"lag\":[7.0,7.0,null],\"behind_seconds\":[1.5,1.5,null]}}");
    }
}
