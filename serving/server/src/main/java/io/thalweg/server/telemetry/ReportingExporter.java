package io.thalweg.server.telemetry;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.URI;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts the spans that another exporter sends. It reports once when its collector fails, and once when it has recovered. */
final class ReportingExporter implements SpanExporter {
    private static final Logger LOG = LoggerFactory.getLogger(ReportingExporter.class);

    private final SpanExporter exporter;
    private final URI endpoint;
    private final Consumer<String> warn;
    private final Consumer<String> inform;
    private final LongAdder exported = new LongAdder();
    private final AtomicBoolean failing = new AtomicBoolean();
    private volatile boolean stopping;

    ReportingExporter(SpanExporter exporter, URI endpoint) {
        this(exporter, endpoint, LOG::warn, LOG::info);
    }

    ReportingExporter(SpanExporter exporter, URI endpoint, Consumer<String> warn, Consumer<String> inform) {
        this.exporter = exporter;
        this.endpoint = endpoint;
        this.warn = warn;
        this.inform = inform;
    }

    long exportedSpans() {
        return exported.sum();
    }

    /** Stops reporting, because an export that a stop cuts off is not a failure of the collector. */
    void stopReporting() {
        stopping = true;
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
        int count = spans.size();
        CompletableResultCode result = exporter.export(spans);
        return result.whenComplete(() -> {
            if (result.isSuccess()) {
                exported.add(count);
            }
            report(result);
        });
    }

    private void report(CompletableResultCode result) {
        if (result.isSuccess() && failing.compareAndSet(true, false)) {
            inform.accept("Traces are sent to " + endpoint + " again.");
        } else if (!result.isSuccess() && !stopping && failing.compareAndSet(false, true)) {
            warn.accept("Traces cannot be sent to " + endpoint
                    + " (server.tracing.endpoint) and are dropped until they can: "
                    + reason(result.getFailureThrowable()));
        }
    }

    /** Returns the message of the root cause, or its class name if it has none. */
    private static String reason(@Nullable Throwable failure) {
        Throwable last = failure;
        while (last != null && last.getCause() != null) {
            last = last.getCause();
        }
        if (last == null) {
            return "no answer in time";
        }
        return last.getMessage() == null ? last.getClass().getSimpleName() : last.getMessage();
    }

    @Override
    public CompletableResultCode flush() {
        return exporter.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
        return exporter.shutdown();
    }
}
