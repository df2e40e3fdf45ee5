package io.thalweg.qalm;

import org.jspecify.annotations.Nullable;

/** A call that records its decision. */
class TestCall extends Call {
    int admissions;
    int refusals;

    @Nullable
    Refusal reason;

    TestCall(String caller, @Nullable Criticality asked, boolean proven, long arrivalNanos, long timeoutNanos) {
        super(caller, asked, proven, arrivalNanos, timeoutNanos, 0, 1);
    }

    TestCall(String caller, long arrivalNanos) {
        this(caller, null, false, arrivalNanos, NO_DEADLINE);
    }

    void weigh(int calls) {
        weight(calls);
    }

    @Override
    protected void admitted() {
        admissions++;
    }

    @Override
    protected void refused(Refusal why) {
        refusals++;
        reason = why;
    }
}
