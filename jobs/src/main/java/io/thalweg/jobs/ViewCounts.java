package io.thalweg.jobs;

import io.thalweg.formats.BadReason;
import io.thalweg.formats.view.Outcome;
import io.thalweg.model.FeatureView;
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
 * What one subtask counts for a view: in its process's {@link JobMetrics}, and with Flink, whose reporters carry it away from
 * wherever the subtask runs. See {@code docs/reference/metrics.md} for the names.
 *
 * <p><b>State.</b> Outcomes and reasons are in the operator's state. When the job is restored or rescaled, each subtask goes on
 * from the entries that it is given; their sum is what all subtasks had counted at the checkpoint.
 *
 * <p><b>Threads.</b> The subtask's.
 */
public final class ViewCounts {
    /** Entries of (view, outcome or reason, events); of each there is one per subtask, and after rescaling any number. */
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
     * Counts from zero, in place of an earlier attempt of the same subtask.
     *
     * @param operator what the subtask is one of, and its index
     * @param subtask Flink's group of the operator
     */
    public ViewCounts(String jobId, FeatureView view, String operator, int index, MetricGroup subtask) {
        this.view = view.qualifiedName();
        process = JobMetrics.of(jobId).view(this.view);
        process.account(operator + "/" + index, account);
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

    /** Adds what a checkpoint has kept for this subtask; entries of other views are left out. */
    public void restore(Iterable<Tuple3<String, String, Long>> kept) {
        for (Tuple3<String, String, Long> entry : kept) {
            if (entry.f0.equals(view)) {
                restore(entry.f1, entry.f2);
            }
        }
    }

    private void restore(String name, long events) {
        for (Outcome outcome : Outcome.values()) {
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

    /** The entries for a checkpoint. */
    public List<Tuple3<String, String, Long>> snapshot() {
        List<Tuple3<String, String, Long>> entries = new ArrayList<>();
        for (Outcome outcome : Outcome.values()) {
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

    public void count(Outcome outcome, long events) {
        account.add(outcome, events);
        events(outcome).inc(events);
    }

    private void count(BadReason reason, long events) {
        account.add(reason, events);
        badEvents(reason).inc(events);
    }

    /** Counts a bad or late event's reason; its outcome is counted apart. */
    public void bad(BadReason reason) {
        count(reason, 1);
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
        count(Outcome.ACCEPTED, -events);
        count(Outcome.LATE, events);
        count(BadReason.LATE_IDLE, events);
    }

    /** Notes how far event time is read. */
    public void seen(long eventTimeMs) {
        process.seen(eventTimeMs);
    }
}
