package io.thalweg.qalm;

/** Whether a lane acts. */
public enum Mode {
    /** Calls pass through untouched: the kill switch. */
    OFF,
    /** Calls pass through; what would have been refused is counted. */
    SHADOW,
    /** Calls are queued and refused. */
    ON
}
