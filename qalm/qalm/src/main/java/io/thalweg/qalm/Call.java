package io.thalweg.qalm;

import io.thalweg.qalm.estimate.RankGate;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One request to an endpoint. An adapter implements admission and refusal, and submits the call once with {@link Lane#submit}.
 * After that:
 *
 * <ul>
 *   <li>exactly one of {@link #admitted} and {@link #refused} is called, at once or later, on the submitting thread, on a thread
 *       that releases another call, or on the ticking thread: neither may block;
 *   <li>an admitted call must be {@linkplain #release released} when its work has ended; further releases have no effect;
 *   <li>a call may be {@linkplain #cancel cancelled} at any time, which has an effect only while it waits.
 * </ul>
 *
 * <p><b>Units.</b> Times are nanoseconds of the clock that was passed to {@link Qalm}. <b>Threads.</b> Safe.
 */
public abstract class Call {
    /** The timeout of a call that does not carry one. */
    public static final long NO_DEADLINE = Long.MAX_VALUE;

    /** The maximum weight of a call. */
    public static final int WEIGHT_MAX = 100;

    private static final int UNDECIDED = 0;
    private static final int WAITING = 1;
    private static final int ADMITTED = 2;
    private static final int PASSED = 3;
    private static final int ENDED = 4;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Call.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final String caller;
    final @Nullable Criticality asked;
    final boolean proven;
    final long arrivalNanos;
    final long timeoutNanos;
    final int affinity;
    final int attempt;

    /** The number of slots that the call takes; the lane may change it before the call is shared. */
    int weight = 1;

    // Written by the lane, before the call is shared or under the lane's lock.
    @Nullable
    Lane lane;

    Criticality criticality = Criticality.FEATURE;
    int cohort;
    long deadlineNanos;
    long admittedNanos;
    CallerUse use = CallerUse.NONE;

    @Nullable
    Refusal refusal;

    @Nullable
    Call older;

    @Nullable
    Call newer;

    long order;

    @Nullable
    Call nextDecided;

    @SuppressWarnings("unused") // through STATE
    private volatile int state;

    /**
     * Creates a call.
     *
     * @param caller the name of the caller in the rules
     * @param asked the criticality that the request carries; null if none
     * @param proven whether the caller has authenticated its name, for example by a certificate: only then may {@code asked} raise
     *     the level, if the rules allow it
     * @param arrivalNanos when the request's headers arrived
     * @param timeoutNanos how long the caller waits after {@code arrivalNanos}, or {@link #NO_DEADLINE}
     * @param affinity a hash of the user or of the trace's root: within a level the same users are shed for an hour, so that the
     *     others are served completely
     * @param attempt 1, or more for a retry, which is shed before first attempts of its level
     */
    protected Call(
            String caller,
            @Nullable Criticality asked,
            boolean proven,
            long arrivalNanos,
            long timeoutNanos,
            int affinity,
            int attempt) {
        this.caller = caller;
        this.asked = asked;
        this.proven = proven;
        this.arrivalNanos = arrivalNanos;
        this.timeoutNanos = timeoutNanos;
        this.affinity = affinity;
        this.attempt = attempt;
    }

    /**
     * Sets, before submission, how many ordinary calls this one equals. It takes that many slots, and capacity and queue count it
     * that many times. Use it for calls known to occupy that many threads, or to read that many keys, at a time.
     *
     * @param calls 1 to {@value #WEIGHT_MAX}; a call takes at most half of all slots
     * @throws IllegalArgumentException if it is out of range
     */
    protected final void weight(int calls) {
        if (calls < 1 || calls > WEIGHT_MAX) {
            throw new IllegalArgumentException(
                    "weight must be 1 to " + WEIGHT_MAX + ", was " + calls + "; 1 is an ordinary call");
        }
        weight = calls;
    }

    /** Starts the work; must hand it to an executor if it blocks or takes long. */
    protected abstract void admitted();

    /** Responds to the caller that the call was refused. */
    protected abstract void refused(Refusal reason);

    /**
     * Marks the start of the work. Call it when an executor runs the work after {@link #admitted}, so that the executor's delay
     * does not count as service time. Otherwise the service time starts at admission.
     */
    public final void begin() {
        if (lane != null) {
            admittedNanos = lane.nanoTime();
        }
    }

    /** Ends an admitted call. Has no effect on a call that is not admitted. */
    public final void release(Outcome outcome) {
        Lane home = lane;
        int before = (int) STATE.getAndSet(this, ENDED);
        if (home == null || (before != ADMITTED && before != PASSED)) {
            return;
        }
        home.released(this, outcome, before == ADMITTED);
    }

    /** Removes the call from the queue because its caller no longer waits; has no effect unless it is queued. */
    public final void cancel() {
        Lane home = lane;
        if (home != null && (int) STATE.getVolatile(this) == WAITING) {
            home.cancelled(this);
        }
    }

    /** Whether the call is queued; {@link #cancel} has an effect only then. */
    public final boolean waiting() {
        return (int) STATE.getAcquire(this) == WAITING;
    }

    /** The level that the lane assigned; final once the call is submitted. */
    public final Criticality criticality() {
        return criticality;
    }

    /** The name of the caller. */
    public final String caller() {
        return caller;
    }

    int rank() {
        return criticality.level() * RankGate.COHORTS + cohort;
    }

    boolean expired(long nowNanos) {
        return nowNanos - deadlineNanos >= 0;
    }

    long waitedNanos(long nowNanos) {
        return nowNanos - arrivalNanos;
    }

    boolean undecided() {
        return (int) STATE.getAcquire(this) == UNDECIDED;
    }

    void waits() {
        STATE.setRelease(this, WAITING);
    }

    /** Admits it under the lane's rules. */
    void admit(long nowNanos) {
        admittedNanos = nowNanos;
        STATE.setRelease(this, ADMITTED);
    }

    /** Admits it without a slot. */
    void pass(long nowNanos) {
        admittedNanos = nowNanos;
        STATE.setRelease(this, PASSED);
    }

    void refuse(Refusal reason) {
        refusal = reason;
        STATE.setRelease(this, ENDED);
    }
}
