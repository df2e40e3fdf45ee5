package io.thalweg.qalm;

import org.jspecify.annotations.Nullable;

/**
 * Notifies calls of their decisions, and counts the decisions. A call that throws does not prevent the others from being notified.
 *
 * <p><b>Threads.</b> Safe. Used outside of the lane's lock, because the code of calls runs here.
 */
final class CallNotifier {
    private final String endpoint;
    private final LaneCounts counts;
    private final Observer observer;

    CallNotifier(String endpoint, LaneCounts counts, Observer observer) {
        this.endpoint = endpoint;
        this.counts = counts;
        this.observer = observer;
    }

    /** Notifies a chain of {@link DecidedCalls}. */
    void notifyAll(@Nullable Call decided) {
        Call call = decided;
        while (call != null) {
            Call next = call.nextDecided;
            call.nextDecided = null;
            try {
                notify(call);
            } catch (RuntimeException failure) {
                call.release(Outcome.IGNORED);
                failed(failure);
            }
            call = next;
        }
    }

    private void notify(Call call) {
        Refusal refusal = call.refusal;
        if (refusal == null) {
            call.use.admitted.increment();
            call.admitted();
            return;
        }
        counts.refused(call.criticality, refusal, call.weight);
        if (refusal.shed()) {
            call.use.shed.increment();
        }
        observer.refused(endpoint, call, refusal);
        call.refused(refusal);
    }

    void released(Call call, Outcome outcome, long serviceNanos) {
        observer.released(endpoint, call, outcome, call.admittedNanos - call.arrivalNanos, serviceNanos);
    }

    /** Counts and reports a failure of load management itself. */
    void failed(RuntimeException failure) {
        counts.failures.increment();
        observer.failed(endpoint, failure);
    }
}
