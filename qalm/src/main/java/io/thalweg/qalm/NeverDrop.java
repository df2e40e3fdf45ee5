package io.thalweg.qalm;

/** What a lane does when calls of levels 0 and 1 alone exceed its capacity. A caller's budget works with both. */
public enum NeverDrop {
    /** Keeps every call until memory ends: nothing is refused and latency is unbounded. */
    STRICT,
    /**
     * Serves those that can still be in time: expired calls leave, the newest go first while the last in line is doomed, and
     * after a second of overload calls of level 1 that would wait too long are refused at once. Level 0 is never refused.
     */
    UNTIL_DEADLINE
}
