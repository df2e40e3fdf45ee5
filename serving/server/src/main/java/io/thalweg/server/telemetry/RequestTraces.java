package io.thalweg.server.telemetry;

import com.linecorp.armeria.common.HttpHeaders;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.logging.RequestLog;
import com.linecorp.armeria.server.DecoratingHttpServiceFunction;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Status;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.thalweg.qalm.armeria.RequestForm;
import io.thalweg.server.http.RefusedRequestException;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Records one server span per read, from its headers until its answer is sent, including reads that are refused before they
 * begin. Requests that do not read have no span: health, metrics, reflection.
 *
 * <p><b>Threads.</b> Safe; called on event loops.
 */
public final class RequestTraces {
    /** The error codes that the conventions define for servers, and refusals for lack of capacity. */
    private static final Set<Status.Code> ERRORS = EnumSet.of(
            Status.Code.UNKNOWN,
            Status.Code.DEADLINE_EXCEEDED,
            Status.Code.UNIMPLEMENTED,
            Status.Code.INTERNAL,
            Status.Code.UNAVAILABLE,
            Status.Code.DATA_LOSS,
            Status.Code.RESOURCE_EXHAUSTED);

    private static final int TOO_MANY_REQUESTS = 429;
    private static final int SERVER_ERROR = 500;

    @SuppressWarnings("deprecation") // keys is deprecated, but still abstract
    private static final TextMapGetter<RequestHeaders> HEADERS = new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(RequestHeaders headers) {
            return headers.names().stream().map(CharSequence::toString).collect(Collectors.toList());
        }

        @Override
        public @Nullable String get(@Nullable RequestHeaders headers, String key) {
            return headers == null ? null : headers.get(key);
        }
    };

    private final Tracer tracer;
    private final Function<String, @Nullable String> endpoints;

    /**
     * Creates a decorator.
     *
     * @param endpoints returns the endpoint of a route with this pattern; null if it is not one of the reads over HTTP
     */
    public RequestTraces(Tracer tracer, Function<String, @Nullable String> endpoints) {
        this.tracer = tracer;
        this.endpoints = endpoints;
    }

    /** Traces a decorator and its delegate. The time until the decorator lets a request pass has its own span. */
    public DecoratingHttpServiceFunction around(DecoratingHttpServiceFunction admit) {
        return (delegate, ctx, request) -> {
            RequestSpan span = begin(ctx, request);
            if (span == null) {
                return admit.serve(delegate, ctx, request);
            }
            var unused = ctx.log().whenComplete().thenAccept(log -> end(span, log));
            Span admission = span.begin("admission");
            return admit.serve(
                    (admitted, body) -> {
                        admission.end();
                        return delegate.serve(admitted, body);
                    },
                    ctx,
                    request);
        };
    }

    /** Starts a span; null if the request is not recorded. */
    private @Nullable RequestSpan begin(ServiceRequestContext ctx, HttpRequest request) {
        String route = ctx.config().route().patternString();
        String endpoint = endpoints.apply(route);
        boolean grpc = endpoint == null && (route.startsWith("/thalweg.") || route.startsWith("/feast."));
        if (endpoint == null && !grpc) {
            return null;
        }
        String name = endpoint == null ? route.substring(1) : endpoint;
        Context parent = W3CTraceContextPropagator.getInstance().extract(Context.root(), request.headers(), HEADERS);
        Span span = tracer.spanBuilder(name)
                .setParent(parent)
                .setSpanKind(SpanKind.SERVER)
                .startSpan();
        if (!span.isRecording()) {
            return null;
        }
        span.setAttribute(ReadAttributes.METHOD, request.method().name())
                .setAttribute(ReadAttributes.URL_SCHEME, ctx.sessionProtocol().isTls() ? "https" : "http")
                .setAttribute(ReadAttributes.URL_PATH, ctx.path());
        if (grpc) {
            span.setAttribute(ReadAttributes.RPC_SYSTEM, "grpc").setAttribute(ReadAttributes.RPC_METHOD, name);
        } else {
            span.setAttribute(ReadAttributes.ROUTE, name.substring(name.indexOf(' ') + 1));
            String view = ctx.pathParam("name");
            if (view != null) {
                span.setAttribute(ReadAttributes.VIEW, view);
            }
        }
        return new RequestSpan(tracer, span, ctx);
    }

    private static void end(RequestSpan request, RequestLog log) {
        Span span = request.span();
        String error = RequestForm.isGrpc(log.context().request()) ? grpc(request, log) : http(span, log);
        if (error != null) {
            span.setAttribute(ReadAttributes.ERROR_TYPE, error);
            RefusedRequestException refusal = request.refusal();
            span.setStatus(StatusCode.ERROR, refusal == null ? "" : refusal.message());
        }
        span.end();
    }

    /** Returns the type of the error; null if there is none. */
    private static @Nullable String http(Span span, RequestLog log) {
        int status = log.responseStatus().code();
        if (status == 0) {
            return unanswered(log);
        }
        span.setAttribute(ReadAttributes.HTTP_STATUS, status);
        return status >= SERVER_ERROR || status == TOO_MANY_REQUESTS ? String.valueOf(status) : null;
    }

    private static @Nullable String grpc(RequestSpan request, RequestLog log) {
        String number = grpcStatus(log.responseTrailers());
        number = number == null ? grpcStatus(log.responseHeaders()) : number;
        RefusedRequestException refusal = request.refusal();
        Status.Code code;
        if (number != null) {
            code = Status.fromCodeValue(Integer.parseInt(number)).getCode();
        } else if (log.responseCause() != null) {
            return unanswered(log);
        } else { // gRPC-Web sends the status in the body
            code = refusal == null
                    ? Status.Code.OK
                    : Status.Code.valueOf(refusal.code().name());
        }
        request.span().setAttribute(ReadAttributes.RPC_STATUS, code.name());
        return ERRORS.contains(code) ? code.name() : null;
    }

    private static @Nullable String grpcStatus(HttpHeaders headers) {
        return headers.get("grpc-status");
    }

    /** Returns the type of the error if the caller is gone or the answer could not be sent. */
    private static String unanswered(RequestLog log) {
        Throwable cause = log.responseCause();
        return cause == null ? "unanswered" : cause.getClass().getSimpleName();
    }
}
