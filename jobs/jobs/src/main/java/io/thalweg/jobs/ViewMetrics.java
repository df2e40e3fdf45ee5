package io.thalweg.jobs;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.model.view.FeatureView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/**
 * The counts of one subtask for a view. They are kept in the process's {@link JobMetrics} and registered with Flink, whose reporters
 * export them from wherever the subtask runs. See {@code docs/reference/metrics.md} for the names.
 *
 * <p><b>State.</b> Outcomes and reasons are in the operator's state. When the job is restored or rescaled, each subtask continues from
 * the entries assigned to it; their sum is what all subtasks had counted at the checkpoint.
 *
 * <p><b>Threads.</b> The subtask's thread.
 */
public final class ViewMetrics {
    /** Entries of (view, outcome or reason, events); each occurs once per subtask, and any number of times after rescaling. */
    public static final ListStateDescriptor<Tuple3<String, String, Long>> STATE =
            new ListStateDescriptor<>("account", Types.TUPLE(Types.STRING, Types.STRING, Types.LONG));

    private static final String OUTCOME = "outcome=";
    private static final String REASON = "reason=";

    private final String view;
    private final JobMetrics.View process;
    private final EventAccount account = new EventAccount();
    private final MetricGroup group;
    private final Map<Enum<?>, Counter> counters = new HashMap<>();
    private final Counter sent;

    /**
     * Creates counts of zero, which replace those of an earlier attempt of the same subtask.
     *
     * @param operator name of the subtask's operator
     * @param index of the subtask
     * @param subtask Flink's metric group of the operator
     */
    public ViewMetrics(String jobId, FeatureView view, String operator, int index, MetricGroup subtask) {
        this.view = view.qualifiedName();
        process = JobMetrics.of(jobId).view(this.view);
        process.account(operator + "/" + index, account);
        group = group(view, subtask);
        sent = group.counter("events_sent");
        for (EventOutcome outcome : EventOutcome.values()) {
            events(outcome);
        }
    }

    /** Returns Flink's metric group for an operator's metrics of a view. */
    public static MetricGroup group(FeatureView view, MetricGroup subtask) {
        return subtask.addGroup("thalweg").addGroup("view", view.qualifiedName());
    }

    private Counter events(EventOutcome outcome) {
        return counters.computeIfAbsent(
                outcome, key -> group.addGroup("outcome", outcome.text()).counter("events"));
    }

    private Counter badEvents(BadReason reason) {
        return counters.computeIfAbsent(
                reason, key -> group.addGroup("reason", reason.text()).counter("bad_events"));
    }

    /** Adds the entries that a checkpoint holds for this subtask; skips those of other views. */
    public void restore(Iterable<Tuple3<String, String, Long>> kept) {
        for (Tuple3<String, String, Long> entry : kept) {
            if (entry.f0.equals(view)) {
                restore(entry.f1, entry.f2);
            }
        }
    }

    private void restore(String name, long events) {
        for (EventOutcome outcome : EventOutcome.values()) {
            if (name.equals(OUTCOME + outcome.text())) {
                count(outcome, events);
            }
        }
        for (BadReason reason : BadReason.values()) {
            if (name.equals(REASON + reason.text())) {
                count(reason, events);
            }
        }
    }

    /** Returns the entries for a checkpoint. */
    public List<Tuple3<String, String, Long>> snapshot() {
        List<Tuple3<String, String, Long>> entries = new ArrayList<>();
        for (EventOutcome outcome : EventOutcome.values()) {
            addTo(entries, OUTCOME + outcome.text(), account.events(outcome));
        }
        for (BadReason reason : BadReason.values()) {
            addTo(entries, REASON + reason.text(), account.events(reason));
        }
        return entries;
    }

    private void addTo(List<Tuple3<String, String, Long>> entries, String name, long events) {
        if (events != 0) {
            entries.add(Tuple3.of(view, name, events));
        }
    }

    public void count(EventOutcome outcome, long events) {
        account.add(outcome, events);
        events(outcome).inc(events);
    }

    private void count(BadReason reason, long events) {
        account.add(reason, events);
        badEvents(reason).inc(events);
    }

    /** Counts a bad or late event's reason; its outcome is counted separately. */
    public void bad(BadReason reason) {
        count(reason, 1);
    }

    /**
     * Counts the entries sent to accumulation: accepted events, less the repeats that were dropped on the way. Combined events count as
     * one.
     */
    public void sent(long entries) {
        process.sent(entries);
        sent.inc(entries);
    }

    /** Counts accepted events as late because they reached a closed pane. */
    public void lateIdleDropped(long events) {
        count(EventOutcome.ACCEPTED, -events);
        count(EventOutcome.LATE, events);
        count(BadReason.LATE_IDLE, events);
    }

    /** Records the latest event time read. */
    public void seen(long eventTimeMs) {
        process.seen(eventTimeMs);
    }
}
