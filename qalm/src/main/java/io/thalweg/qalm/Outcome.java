package io.thalweg.qalm;

/** How an admitted call ended, as far as the load is concerned. */
public enum Outcome {
    /** It ran; its service time counts. A well-formed error answer is a success in this sense. */
    SUCCESS,
    /** It timed out or was refused further down: a sign of overload. */
    DROPPED,
    /** Its time says nothing about load: streams, cancelled calls, failures before any work. */
    IGNORED
}
