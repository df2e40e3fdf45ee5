package io.thalweg.jobs;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.Outcome;
import io.thalweg.model.FeatureView;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/**
 * What one subtask counts for a view: in its process's {@link JobMetrics}, and with Flink, whose reporters carry it away from
 * wherever the subtask runs. See {@code docs/reference/metrics.md} for the names.
 *
 * <p><b>Threads.</b> The subtask's.
 */
public final class ViewCounts {
    private final JobMetrics.View process;
    private final MetricGroup group;
    private final Map<Enum<?>, Counter> counters = new HashMap<>();
    private final Counter sent;

    /**
     * Counts from nought.
     *
     * @param subtask Flink's group of the operator
     */
    public ViewCounts(String jobId, FeatureView view, MetricGroup subtask) {
        process = JobMetrics.of(jobId).view(view.qualifiedName());
        group = group(view, subtask);
        sent = group.counter("events_sent");
        for (Outcome outcome : Outcome.values()) {
            events(outcome);
        }
    }

    /** Where Flink keeps an operator's metrics of a view. */
    public static MetricGroup group(FeatureView view, MetricGroup subtask) {
        return subtask.addGroup("thalweg").addGroup("view", view.qualifiedName());
    }

    private Counter events(Outcome outcome) {
        return counters.computeIfAbsent(
                outcome, key -> group.addGroup("outcome", outcome.text()).counter("events"));
    }

    private Counter badEvents(BadReason reason) {
        return counters.computeIfAbsent(
                reason, key -> group.addGroup("reason", reason.text()).counter("bad_events"));
    }

    public void count(Outcome outcome, long events) {
        process.count(outcome, events);
        events(outcome).inc(events);
    }

    /** Counts a bad or late event's reason; its outcome is counted apart. */
    public void bad(BadReason reason) {
        process.bad(reason);
        badEvents(reason).inc();
    }

    /**
     * Counts what left for accumulation: accepted events, less the repeats that were dropped on the way, and one for those that
     * were combined.
     */
    public void sent(long entries) {
        process.sent(entries);
        sent.inc(entries);
    }

    /** Counts accepted events that met a closed pane: late after all. */
    public void lateIdleDropped(long events) {
        process.lateIdleDropped(events);
        events(Outcome.ACCEPTED).dec(events);
        events(Outcome.LATE).inc(events);
        badEvents(BadReason.LATE_IDLE).inc(events);
    }

    /** Notes how far event time is read. */
    public void seen(long eventTimeMs) {
        process.seen(eventTimeMs);
    }
}
