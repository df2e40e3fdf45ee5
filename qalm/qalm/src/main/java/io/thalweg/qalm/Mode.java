package io.thalweg.qalm;

/** Whether a lane acts. */
public enum Mode {
    /** Calls pass through untouched: the kill switch. */
    OFF,
    /** Calls pass through; those that would have been refused are counted. */
    SHADOW,
    /** Calls are queued and refused. */
    ON
}
