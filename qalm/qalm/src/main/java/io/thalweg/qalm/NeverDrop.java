package io.thalweg.qalm;

/** The behavior of a lane when calls of levels 0 and 1 alone exceed its capacity. A caller's budget works with either. */
public enum NeverDrop {
    /** Keeps never-drop calls until the queue is full: none is refused before that unless its deadline passes. */
    STRICT,
    /**
     * Serves the calls that can meet their deadlines. Expired calls leave the queue, and the newest are served first while the
     * last one would miss its deadline. After a second of overload, calls of level 1, but never of level 0, are refused on
     * arrival if they would wait too long.
     */
    UNTIL_DEADLINE
}
