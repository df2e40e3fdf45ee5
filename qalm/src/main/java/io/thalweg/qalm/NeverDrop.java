package io.thalweg.qalm;

/** The behavior of a lane when calls of levels 0 and 1 alone exceed its capacity. A caller's budget works with both. */
public enum NeverDrop {
    /** Keeps every call up to the bound of the queue: none is refused before that, and latency is unbounded. */
    STRICT,
    /**
     * Serves the calls that can meet their deadlines: expired calls leave the queue, the newest are served first while the last one
     * would miss its deadline, and after a second of overload calls of level 1, never of level 0, are refused on arrival if they
     * would wait too long.
     */
    UNTIL_DEADLINE
}
