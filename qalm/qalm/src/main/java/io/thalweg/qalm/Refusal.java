package io.thalweg.qalm;

/** Why a call was not admitted. */
public enum Refusal {
    /** Overload: calls of its rank are refused on arrival. */
    GATE(true),
    /** Overload: it waited longer than the maximum of its level. */
    EVICTED(true),
    /** Overload: it would have missed its deadline. */
    CANNOT_FINISH(true),
    /** Never-drop calls alone exceed the capacity. This should page an operator. */
    CRITICAL_OVERFLOW(true),
    /** The queue has reached its bound. */
    QUEUE_FULL(true),
    /** Its deadline has passed, so its caller no longer waits. This alone does not indicate overload. */
    EXPIRED(false),
    /** Its caller has cancelled it. */
    CANCELLED(false);

    private final boolean shed;

    Refusal(boolean shed) {
        this.shed = shed;
    }

    /** Whether the server shed the call, as opposed to a caller that no longer waits. */
    public boolean shed() {
        return shed;
    }
}
