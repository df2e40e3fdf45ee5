package io.thalweg.server.telemetry;

import com.linecorp.armeria.common.RequestContext;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** The trace that a request belongs to, by its W3C {@code traceparent}, so that the log can name it. */
public final class TraceId {
    /** The key in the context of log events. */
    private static final String KEY = "trace_id";

    private static final Pattern TRACEPARENT = Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}.*");

    private TraceId() {}

    /** The trace of this thread's request; null without a request, or without a valid header. */
    public static @Nullable String current() {
        RequestContext context = RequestContext.currentOrNull();
        return context instanceof ServiceRequestContext request
                ? parse(request.request().headers().get("traceparent"))
                : null;
    }

    private static @Nullable String parse(@Nullable String traceparent) {
        if (traceparent == null) {
            return null;
        }
        Matcher matcher = TRACEPARENT.matcher(traceparent);
        return matcher.matches() ? matcher.group(1) : null;
    }

    /** Runs a task; its log messages carry the trace, if there is one. */
    public static void logged(@Nullable String trace, Runnable work) {
        if (trace == null) {
            work.run();
            return;
        }
        MDC.put(KEY, trace);
        try {
            work.run();
        } finally {
            MDC.remove(KEY);
        }
    }
}
