package io.thalweg.qalm;

import io.thalweg.qalm.estimate.RankGate;
import org.jspecify.annotations.Nullable;

/**
 * The calls that wait in a lane, in buckets from the most critical to the least: one for level 0, one for level 1, eight each
 * for the cohorts of levels 2 and 3. A bucket is ordered by arrival.
 *
 * <p>The buckets are linked through the calls, and a bit mask marks those that are not empty. Every operation except {@link
 * #oldest}, which visits up to eighteen heads, takes constant time. <b>Threads.</b> One at a time.
 */
final class WaitingCalls {
    static final int BUCKETS = 18;
    private static final int COHORT_BUCKETS = 8;
    private static final int FIRST_SHEDDABLE = 2;

    private final @Nullable Call[] heads = new @Nullable Call[BUCKETS];
    private final @Nullable Call[] tails = new @Nullable Call[BUCKETS];
    private final int[] weights = new int[BUCKETS];
    private int occupied;
    private int size;
    private long arrivals;

    static int bucket(Criticality criticality, int cohort) {
        return criticality.sheddable()
                ? first(criticality) + cohort * COHORT_BUCKETS / RankGate.COHORTS
                : criticality.level();
    }

    /** The first bucket of a level. */
    static int first(Criticality criticality) {
        int level = criticality.level();
        return level <= FIRST_SHEDDABLE ? level : FIRST_SHEDDABLE + COHORT_BUCKETS * (level - FIRST_SHEDDABLE);
    }

    int size() {
        return size;
    }

    /** The weight of the calls in the buckets up to and including this one. */
    int weightUpTo(int bucket) {
        int weight = 0;
        for (int mask = occupied & ((2 << bucket) - 1); mask != 0; mask &= mask - 1) {
            weight += weights[Integer.numberOfTrailingZeros(mask)];
        }
        return weight;
    }

    void add(Call call) {
        int bucket = bucket(call.criticality, call.cohort);
        Call tail = tails[bucket];
        call.older = tail;
        call.newer = null;
        call.order = arrivals++;
        if (tail == null) {
            heads[bucket] = call;
            occupied |= 1 << bucket;
        } else {
            tail.newer = call;
        }
        tails[bucket] = call;
        weights[bucket] += call.weight;
        size++;
    }

    void remove(Call call) {
        int bucket = bucket(call.criticality, call.cohort);
        if (call.older == null) {
            heads[bucket] = call.newer;
        } else {
            call.older.newer = call.newer;
        }
        if (call.newer == null) {
            tails[bucket] = call.older;
        } else {
            call.newer.older = call.older;
        }
        call.older = null;
        call.newer = null;
        if (heads[bucket] == null) {
            occupied &= ~(1 << bucket);
        }
        weights[bucket] -= call.weight;
        size--;
    }

    /** The call that arrived first. */
    @Nullable
    Call oldest() {
        Call oldest = null;
        for (int mask = occupied; mask != 0; mask &= mask - 1) {
            Call head = heads[Integer.numberOfTrailingZeros(mask)];
            if (oldest == null || (head != null && head.order < oldest.order)) {
                oldest = head;
            }
        }
        return oldest;
    }

    /** The most critical bucket that holds a call; {@link #BUCKETS} or more if none does. */
    int best() {
        return Integer.numberOfTrailingZeros(occupied);
    }

    /** The least critical bucket that holds a call; below 0 if none does. */
    int worst() {
        return 31 - Integer.numberOfLeadingZeros(occupied);
    }

    @Nullable
    Call first(int bucket) {
        return heads[bucket];
    }

    @Nullable
    Call last(int bucket) {
        return tails[bucket];
    }
}
