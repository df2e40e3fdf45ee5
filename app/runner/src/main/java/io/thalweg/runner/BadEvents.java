package io.thalweg.runner;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.formats.BadReason;
import io.thalweg.jobs.JobMetrics;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Passes the dead letters of a bounded run on, and remembers the first bad event, so that the command can explain bad events itself.
 *
 * <p><b>Threads.</b> One writes at a time; {@link #explain} is called when the job has ended.
 */
final class BadEvents extends FilterOutputStream {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The reasons of bad events. Late events are well-formed and have a report of their own. */
    private static final Set<BadReason> REASONS = EnumSet.complementOf(EnumSet.of(BadReason.LATE, BadReason.LATE_IDLE));

    private @Nullable String example;

    BadEvents(OutputStream deadLetters) {
        super(deadLetters);
    }

    /** Writes a whole letter, or the end of its line. */
    @Override
    public void write(byte[] data, int offset, int length) throws IOException {
        out.write(data, offset, length);
        if (example == null) {
            JsonNode letter = JSON.readTree(data, offset, length);
            String reason = letter.path("reason").asText();
            if (REASONS.stream().anyMatch(each -> each.text().equals(reason))) {
                example = letter.path("source").asText() + ": "
                        + letter.path("detail").asText();
            }
        }
    }

    /** Describes the bad events: how many there are for each reason, and the detail of the first one. */
    String explain(List<JobMetrics.View> views) {
        String counts = REASONS.stream()
                .map(reason -> new Counted(
                        reason,
                        views.stream().mapToLong(view -> view.badCount(reason)).sum()))
                .filter(counted -> counted.events() > 0)
                .map(counted -> counted.reason().text() + " " + counted.events())
                .collect(Collectors.joining(", "));
        return "bad events: " + counts + (example == null ? "" : "; for example in " + example);
    }

    private record Counted(BadReason reason, long events) {}
}
