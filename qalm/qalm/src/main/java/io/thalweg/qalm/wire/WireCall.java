package io.thalweg.qalm.wire;

import io.thalweg.qalm.Call;
import org.jspecify.annotations.Nullable;

/** A call that takes its values from its headers; the base class for all protocols. */
public abstract class WireCall extends Call {
    /**
     * Creates a call from its headers.
     *
     * @param headers the headers of the request
     * @param proven the name in the caller's certificate; null for the name in the headers
     * @param arrivalNanos when the request's headers arrived
     */
    protected WireCall(CallHeaders headers, @Nullable String proven, long arrivalNanos) {
        super(
                proven == null ? headers.caller() : proven,
                headers.asked(),
                proven != null,
                arrivalNanos,
                headers.timeoutNanos(),
                headers.affinity(),
                headers.attempt());
    }
}
