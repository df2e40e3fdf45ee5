package io.thalweg.qalm;

/** How an admitted call ended, with regard to load. */
public enum Outcome {
    /** It ran; its service time counts. An error of the application is a success in this sense. */
    SUCCESS,
    /** It timed out or a dependency refused it: a sign of overload. */
    DROPPED,
    /** Its service time does not depend on load: streams, cancelled calls, failures before any work. */
    IGNORED
}
