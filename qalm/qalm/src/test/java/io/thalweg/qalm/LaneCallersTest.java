package io.thalweg.qalm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LaneCallersTest {
    private static final long MS = 1_000_000;

    @Test
    void aMillionNames_areATableOfAThousand() {
        LaneCallers callers = new LaneCallers();
        for (int i = 0; i < 1_000_000; i++) {
            callers.use("caller-" + i).shed.increment();
        }
        assertThat(callers.all()).hasSizeLessThanOrEqualTo(LaneCallers.CALLERS_MAX + 1);
        callers.sweep();
        callers.sweep();
        assertThat(callers.all()).hasSizeLessThan(LaneCallers.CALLERS_MAX);
        assertThat(callers.use("newcomer").caller).isEqualTo("newcomer");
    }

    @Test
    void oneAboveItsShare_isHeavyAndEqualsAreNot() {
        LaneCallers callers = new LaneCallers();
        callers.use("heavy").served(80 * MS);
        for (String light : List.of("a", "b", "c", "d")) {
            callers.use(light).served(5 * MS);
        }
        callers.sweep();
        assertThat(callers.use("heavy").heaviness).isEqualTo(2);
        assertThat(callers.use("a").heaviness).isZero();
    }
}
