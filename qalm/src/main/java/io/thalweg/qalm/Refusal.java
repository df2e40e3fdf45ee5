package io.thalweg.qalm;

/** Why a call was not admitted. */
public enum Refusal {
    /** Overload: calls of its rank are turned away on arrival. */
    GATE(true),
    /** Overload: it waited longer than calls of its level may. */
    EVICTED(true),
    /** Overload: it would not have been done before its deadline. */
    CANNOT_FINISH(true),
    /** Never-drop calls alone exceed the capacity, and it came last. Somebody should be woken up. */
    CRITICAL_OVERFLOW(true),
    /** The queue is as long as memory allows. */
    QUEUE_FULL(true),
    /** Its deadline had passed; nobody waits for an answer. Not overload by itself. */
    EXPIRED(false),
    /** Its caller gave up. */
    CANCELLED(false);

    private final boolean shed;

    Refusal(boolean shed) {
        this.shed = shed;
    }

    /** Whether the server chose to refuse it, as opposed to a caller who no longer waits. */
    public boolean shed() {
        return shed;
    }
}
