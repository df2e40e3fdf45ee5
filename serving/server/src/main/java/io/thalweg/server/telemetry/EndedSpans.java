package io.thalweg.server.telemetry;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import java.util.concurrent.atomic.LongAdder;

/** Counts the sampled spans that have ended. */
final class EndedSpans implements SpanProcessor {
    private final LongAdder count = new LongAdder();

    long count() {
        return count.sum();
    }

    @Override
    public void onStart(Context parent, ReadWriteSpan span) {}

    @Override
    public boolean isStartRequired() {
        return false;
    }

    @Override
    public void onEnd(ReadableSpan span) {
        if (span.getSpanContext().isSampled()) {
            count.increment();
        }
    }

    @Override
    public boolean isEndRequired() {
        return true;
    }
}
