package io.thalweg.qalm.armeria;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.qalm.wire.PeerIdentity;
import io.thalweg.qalm.wire.RefusalAnswer;
import org.jspecify.annotations.Nullable;

/**
 * Determines how load management names the endpoints of a server and answers refused requests. The default methods suit most servers.
 *
 * <p><b>Threads.</b> Called on event loops, so it must not block.
 */
public interface RequestForm {
    /** Names endpoints by gRPC method, or by HTTP method and route; submits requests with their headers; RFC 9457 errors. */
    RequestForm DEFAULT = new RequestForm() {};

    /** Whether a request is a gRPC call. */
    static boolean isGrpc(HttpRequest request) {
        String type = request.headers().get(HttpHeaderNames.CONTENT_TYPE);
        return type != null && type.startsWith("application/grpc");
    }

    /** Returns the endpoint of a request; null if it always passes. It must have few values, because each has a lane. */
    default @Nullable String endpoint(ServiceRequestContext context, HttpRequest request) {
        return isGrpc(request)
                ? context.path().substring(1)
                : context.method() + " " + context.config().route().patternString();
    }

    /**
     * Whether requests are submitted when their body is complete instead of with their headers, so that a slow sender holds no
     * slot. Not suited to streams.
     */
    default boolean whole() {
        return false;
    }

    /**
     * Answers a {@linkplain #whole whole} request that needs neither work nor admission, such as one larger than any valid one;
     * null to submit it.
     */
    default @Nullable HttpResponse answer(ServiceRequestContext context, AggregatedHttpRequest request) {
        return null;
    }

    /**
     * Returns the number of slots that a request takes if requests are submitted {@linkplain #whole whole}: the cost of the work,
     * estimated from the body before the work starts.
     *
     * @return 1, a usual request, to {@link io.thalweg.qalm.Call#WEIGHT_MAX}
     */
    default int weight(ServiceRequestContext context, AggregatedHttpRequest request) {
        return 1;
    }

    /** Returns the authenticated name of the sender, by default that in its certificate; null to use the name in the headers. */
    default @Nullable String proven(ServiceRequestContext context) {
        return PeerIdentity.of(context.sslSession());
    }

    /** Creates the answer to a refused HTTP request; a gRPC call is answered with a status. */
    default HttpResponse refused(RefusalAnswer refusal) {
        ResponseHeaders headers = ResponseHeaders.builder(refusal.httpStatus())
                .set(HttpHeaderNames.CONTENT_TYPE, "application/problem+json")
                .setInt(HttpHeaderNames.RETRY_AFTER, refusal.retryAfterSeconds())
                .setInt(CallHeaders.PUSHBACK, refusal.pushbackMs())
                .build();
        return HttpResponse.of(headers, HttpData.ofUtf8(refusal.problemJson()));
    }
}
