package io.thalweg.qalm;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One request on its way through a {@link Lane}. Whoever protects a service extends it with what to do on the two answers, and
 * submits it once with {@link Lane#submit}. Then
 *
 * <ul>
 *   <li>exactly one of {@link #admitted} and {@link #refused} is called, at once or later, on the thread that submitted or on
 *       one that ended another call: neither may block;
 *   <li>an admitted call is to be {@linkplain #release released} when its work has ended; more than once does no harm;
 *   <li>it may be {@linkplain #cancel cancelled} at any time, which matters only while it waits.
 * </ul>
 *
 * <p><b>Units.</b> Times are nanoseconds of the clock that {@link Qalm} was given. <b>Threads.</b> Safe.
 */
public abstract class Call {
    /** {@code deadlineNanos} of a call that has none. */
    public static final long NO_DEADLINE = Long.MAX_VALUE;

    /** The most that a call may weigh. */
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

    /** Slots that it takes; the lane may take some off before the call is shared. */
    int weight = 1;

    // The lane's, written before the call is shared or under its lock.
    @Nullable
    Lane lane;

    Criticality criticality = Criticality.FEATURE;
    int cohort;
    long deadlineNanos;
    long admittedNanos;
    CallerUse use = CallerUse.NOBODY;

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
     * @param caller who calls, as the registry knows it
     * @param asked the criticality that came with the request, null if none
     * @param proven whether the caller has proven its name, as by a certificate: only then may {@code asked} raise the level, if
     *     the registry allows it
     * @param arrivalNanos when the request's headers arrived
     * @param timeoutNanos how long from then the caller waits, or {@link #NO_DEADLINE}
     * @param affinity hash of the user or of the root of the trace: of one level, the same users are shed for an hour, so that
     *     the others are served whole
     * @param attempt 1, or more for a retry, which goes behind first attempts of its level
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
     * Says, before it is submitted, how many usual calls this one is worth: so many slots it takes, and so much it counts where
     * capacity and queue are measured. For calls that are known to work on as many threads, or on as many keys, at a time.
     *
     * @param calls 1 to {@value #WEIGHT_MAX}; a call that is worth more than half of the slots takes half
     */
    protected final void weight(int calls) {
        if (calls < 1 || calls > WEIGHT_MAX) {
            throw new IllegalArgumentException(
                    "weight must be 1 to " + WEIGHT_MAX + ", was " + calls + "; 1 is a usual call");
        }
        weight = calls;
    }

    /** Do the work now; hand it to an executor if it takes long. */
    protected abstract void admitted();

    /** Answer the caller that it is not done. */
    protected abstract void refused(Refusal reason);

    /**
     * The work begins now: to be called where an executor stands between {@link #admitted} and the work, so that its delay does
     * not count as service time. Without it the work begins with the admission.
     */
    public final void begin() {
        if (lane != null) {
            admittedNanos = lane.nanoTime();
        }
    }

    /** The work has ended, one way or another. */
    public final void release(Outcome outcome) {
        Lane home = lane;
        int before = (int) STATE.getAndSet(this, ENDED);
        if (home == null || (before != ADMITTED && before != PASSED)) {
            return;
        }
        home.released(this, outcome, before == ADMITTED);
    }

    /** Nobody waits for the answer any more. */
    public final void cancel() {
        Lane home = lane;
        if (home != null && (int) STATE.getVolatile(this) == WAITING) {
            home.cancelled(this);
        }
    }

    /** Whether it waits for its turn: only then does it matter that it is {@linkplain #cancel cancelled}. */
    public final boolean waiting() {
        return (int) STATE.getAcquire(this) == WAITING;
    }

    /** The level it was given; final once it has been submitted. */
    public final Criticality criticality() {
        return criticality;
    }

    /** Who calls. */
    public final String caller() {
        return caller;
    }

    int rank() {
        return criticality.level() * Lane.COHORTS + cohort;
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

    /** To be worked on under the lane's rules. */
    void admit(long nowNanos) {
        admittedNanos = nowNanos;
        STATE.setRelease(this, ADMITTED);
    }

    /** To be worked on without being counted. */
    void pass(long nowNanos) {
        admittedNanos = nowNanos;
        STATE.setRelease(this, PASSED);
    }

    void refuse(Refusal reason) {
        refusal = reason;
        STATE.setRelease(this, ENDED);
    }
}
