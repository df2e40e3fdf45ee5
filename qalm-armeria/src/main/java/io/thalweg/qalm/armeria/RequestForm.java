package io.thalweg.qalm.armeria;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.qalm.wire.RefusalAnswer;
import org.jspecify.annotations.Nullable;

/**
 * How the requests of a server look to load management, and its refusals to callers. What is not overridden is as usual.
 *
 * <p><b>Threads.</b> Asked on event loops: it must not block.
 */
public interface RequestForm {
    /** Endpoints by full name of the gRPC method, or HTTP method and route; admission at the headers; RFC 9457 errors. */
    RequestForm USUAL = new RequestForm() {};

    /** Whether a request is gRPC's. */
    static boolean isGrpc(HttpRequest request) {
        String type = request.headers().get(HttpHeaderNames.CONTENT_TYPE);
        return type != null && type.startsWith("application/grpc");
    }

    /** The endpoint of a request; null = it always passes. Must take few values: each has a lane. */
    default @Nullable String endpoint(ServiceRequestContext context, HttpRequest request) {
        return isGrpc(request)
                ? context.path().substring(1)
                : context.method() + " " + context.config().route().patternString();
    }

    /**
     * Whether requests are submitted when they have arrived whole, not when their headers have: so that who sends slowly holds no
     * slot. Not for streams.
     */
    default boolean whole() {
        return false;
    }

    /** The answer to an HTTP request that is refused; gRPC says it its own way. */
    default HttpResponse refused(RefusalAnswer refusal) {
        ResponseHeaders headers = ResponseHeaders.builder(refusal.httpStatus())
                .set(HttpHeaderNames.CONTENT_TYPE, "application/problem+json")
                .setInt(HttpHeaderNames.RETRY_AFTER, refusal.retryAfterSeconds())
                .setInt(CallHeaders.PUSHBACK, refusal.pushbackMs())
                .build();
        return HttpResponse.of(headers, HttpData.ofUtf8(refusal.problemJson()));
    }
}
