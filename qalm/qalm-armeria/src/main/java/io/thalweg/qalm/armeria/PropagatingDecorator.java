package io.thalweg.qalm.armeria;

import com.linecorp.armeria.client.ClientRequestContext;
import com.linecorp.armeria.client.DecoratingHttpClientFunction;
import com.linecorp.armeria.client.HttpClient;
import com.linecorp.armeria.client.UnprocessedRequestException;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.logging.RequestLog;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.qalm.wire.ClientThrottle;
import io.thalweg.qalm.wire.ClientThrottles;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The client decorator of {@link ArmeriaQalm#client}. */
final class PropagatingDecorator implements DecoratingHttpClientFunction {
    private final String caller;
    private final ClientThrottles throttles;

    PropagatingDecorator(String caller, ClientThrottles throttles) {
        this.caller = caller;
        this.throttles = throttles;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // Armeria completes logs normally
    public HttpResponse execute(HttpClient delegate, ClientRequestContext context, HttpRequest request)
            throws Exception {
        Criticality criticality = addHeaders(context, request);
        ClientThrottle throttle = throttles.of(context.authority() + " " + context.method() + " " + context.path());
        if (!throttle.send(criticality)) {
            throw UnprocessedRequestException.of(
                    new IllegalStateException("not sent: the server refuses calls of level " + criticality.level()));
        }
        context.log().whenComplete().thenAccept(log -> record(throttle, criticality, log));
        return delegate.execute(context, request);
    }

    /** Adds the headers; returns the criticality of the call, or the default if unknown. */
    private Criticality addHeaders(ClientRequestContext context, HttpRequest request) {
        ServiceRequestContext served = context.root();
        context.addAdditionalRequestHeader(CallHeaders.CALLER, caller);
        Criticality asked = Criticality.parse(request.headers().get(CallHeaders.CRITICALITY));
        Criticality forwarded = served == null ? null : served.attr(LaneDecorator.CRITICALITY);
        if (asked == null && forwarded != null) {
            context.addAdditionalRequestHeader(CallHeaders.CRITICALITY, Integer.toString(forwarded.level()));
        }
        if (served != null) {
            addDeadline(context, served);
        }
        Criticality known = asked != null ? asked : forwarded;
        return known == null ? Criticality.FEATURE : known;
    }

    private static void addDeadline(ClientRequestContext context, ServiceRequestContext served) {
        Long left = remainingMillis(served);
        if (left != null && (context.responseTimeoutMillis() == 0 || left < context.responseTimeoutMillis())) {
            context.setResponseTimeoutMillis(left);
        }
        if (context.responseTimeoutMillis() > 0) {
            context.addAdditionalRequestHeader(CallHeaders.TIMEOUT_MS, Long.toString(context.responseTimeoutMillis()));
        }
    }

    /** The remaining ms of the request being served, at least 1; null if it has no deadline. */
    private static @Nullable Long remainingMillis(ServiceRequestContext served) {
        if (served.requestTimeoutMillis() == 0) {
            return null;
        }
        long past = System.nanoTime() - served.log().partial().requestStartTimeNanos();
        return Math.max(1, served.requestTimeoutMillis() - TimeUnit.NANOSECONDS.toMillis(past));
    }

    private static void record(ClientThrottle throttle, Criticality criticality, RequestLog log) {
        boolean refused = log.responseHeaders().contains(CallHeaders.PUSHBACK);
        throttle.answered(criticality, !refused, log.responseHeaders().get(CallHeaders.THRESHOLD));
    }
}
