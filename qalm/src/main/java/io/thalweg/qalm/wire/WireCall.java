package io.thalweg.qalm.wire;

import io.thalweg.qalm.Call;
import org.jspecify.annotations.Nullable;

/** A call as its headers describe it: what the adapters of all protocols submit. */
public abstract class WireCall extends Call {
    /**
     * @param said the headers
     * @param proven the caller's name, if it has proven one, as by a certificate; else the headers say who calls
     * @param arrivalNanos when the request's headers arrived
     */
    protected WireCall(CallHeaders said, @Nullable String proven, long arrivalNanos) {
        super(
                proven == null ? said.caller() : proven,
                said.asked(),
                proven != null,
                arrivalNanos,
                said.timeoutNanos(),
                said.affinity(),
                said.attempt());
    }
}
