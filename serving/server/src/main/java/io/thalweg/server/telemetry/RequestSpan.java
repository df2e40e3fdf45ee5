package io.thalweg.server.telemetry;

import com.linecorp.armeria.common.RequestContext;
import io.netty.util.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.http.RefusedRequestException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The recorded span of a request, and its child spans. Most requests have none, and the static methods then add nothing.
 *
 * <p><b>Threads.</b> One thread at a time works on a request; threads hand it over safely.
 */
public final class RequestSpan {
    private static final AttributeKey<RequestSpan> OF_REQUEST = AttributeKey.valueOf(RequestSpan.class, "SPAN");
    private static final ThreadLocal<@Nullable RequestSpan> OF_THREAD = new ThreadLocal<>();

    private final Tracer tracer;
    private final Span span;
    private final Set<String> views = new LinkedHashSet<>();
    private long keys;
    private @Nullable RefusedRequestException refusal;

    /** Creates the span of a request and attaches it. */
    RequestSpan(Tracer tracer, Span span, RequestContext request) {
        this.tracer = tracer;
        this.span = span;
        request.setAttr(OF_REQUEST, this);
    }

    /** Returns the span of the request that this thread of the server works on. */
    public static @Nullable RequestSpan ofRequest() {
        RequestContext request = RequestContext.currentOrNull();
        return request == null ? null : request.attr(OF_REQUEST);
    }

    /** Records what is read; the views of a request are named together, and their keys are added up. */
    public static void describe(FeatureView view, long keys, String from) {
        RequestSpan request = OF_THREAD.get();
        if (request != null) {
            request.views.add(view.qualifiedName());
            request.keys += keys;
            request.span
                    .setAttribute(ReadAttributes.VIEW, String.join(",", request.views))
                    .setAttribute(ReadAttributes.KEYS, request.keys)
                    .setAttribute(ReadAttributes.READ_FROM, from);
        }
    }

    /** Makes a call, in a child span if this thread's request has a span. A failure is recorded and passes through. */
    public static <T> T traced(String name, FeatureView view, long keys, Supplier<T> call) {
        RequestSpan request = OF_THREAD.get();
        return request == null ? call.get() : request.call(name, view, keys, call);
    }

    private <T> T call(String name, FeatureView view, long keys, Supplier<T> call) {
        Span child = child(name)
                .setAttribute(ReadAttributes.VIEW, view.qualifiedName())
                .setAttribute(ReadAttributes.KEYS, keys)
                .startSpan();
        try {
            return call.get();
        } catch (RefusedRequestException e) {
            child.setStatus(StatusCode.ERROR, e.message());
            throw e;
        } catch (RuntimeException | Error e) {
            child.recordException(e);
            child.setStatus(StatusCode.ERROR, String.valueOf(e.getMessage()));
            throw e;
        } finally {
            child.end();
        }
    }

    private SpanBuilder child(String name) {
        return tracer.spanBuilder(name).setParent(Context.root().with(span));
    }

    /** Wraps the read of the request, which waits for a thread from now on. */
    public Runnable queued(Runnable read) {
        Span queue = begin("queue");
        return () -> {
            queue.end();
            OF_THREAD.set(this);
            try {
                read.run();
            } finally {
                OF_THREAD.remove();
            }
        };
    }

    /** Starts a child span. */
    Span begin(String name) {
        return child(name).startSpan();
    }

    /** Records why the read of the request failed. */
    public void fail(RefusedRequestException reason) {
        refusal = reason;
    }

    @Nullable
    RefusedRequestException refusal() {
        return refusal;
    }

    Span span() {
        return span;
    }

    public String traceId() {
        return span.getSpanContext().getTraceId();
    }
}
