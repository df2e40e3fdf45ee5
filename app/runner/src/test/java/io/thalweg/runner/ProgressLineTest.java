package io.thalweg.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class ProgressLineTest {
    private final StringWriter written = new StringWriter();
    private final AtomicLong nanos = new AtomicLong(-5);

    private ProgressLine line(ProgressLine.Style style) {
        return new ProgressLine(new PrintWriter(written), style, nanos::get);
    }

    private void pass(long millis) {
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Test
    void show_onATerminal_replacesTheLineAtMostFiveTimesASecond() {
        try (ProgressLine line = line(ProgressLine.Style.UPDATING)) {
            line.show(() -> "one");
            pass(199);
            line.show(() -> "two");
            pass(1);
            line.show(() -> "three");
        }
        assertThat(written).hasToString("\r\u001b[Kone\r\u001b[Kthree\r\u001b[K");
    }

    @Test
    void show_elsewhere_printsALineEveryFiveSeconds() {
        try (ProgressLine line = line(ProgressLine.Style.PLAIN)) {
            line.show(() -> "one");
            pass(5_000);
            line.show(() -> "two");
            pass(4_999);
            line.show(() -> "three");
        }
        assertThat(written).hasToString("two\n");
    }

    @Test
    void say_onATerminal_standsAboveTheProgress() {
        ProgressLine line = line(ProgressLine.Style.UPDATING);
        line.show(() -> "50 %");
        line.say("a warning");
        assertThat(written).hasToString("\r\u001b[K50 %\r\u001b[Ka warning\n50 %");
    }

    @Test
    void showAndSay_quiet_printNothing() {
        try (ProgressLine line = line(ProgressLine.Style.SILENT)) {
            pass(60_000);
            line.show(() -> "one");
            line.say("two");
        }
        assertThat(written.toString()).isEmpty();
    }
}
