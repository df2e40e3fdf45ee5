package io.thalweg.server.http;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import com.linecorp.armeria.server.HttpStatusException;
import com.linecorp.armeria.server.RequestTimeoutException;
import com.linecorp.armeria.server.ServerErrorHandler;
import com.linecorp.armeria.server.ServiceConfig;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.thalweg.qalm.armeria.RequestForm;
import io.thalweg.server.http.RefusedRequestException.Code;
import io.thalweg.server.http.RefusedRequestException.Problem;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Gives all errors of a protocol the same form, including those that Armeria raises itself. */
public final class HttpErrors implements ServerErrorHandler {
    /** The most bytes of the headers of a request, as HTTP/2 counts them. */
    public static final int HEADER_BYTES_MAX = 8 << 10;

    static final String HEADERS_TOO_LONG =
            "the headers are above the limit of " + HEADER_BYTES_MAX + " bytes; send less metadata";

    private static final int ERROR_BYTES_MAX = 16 << 10;

    @Override
    public @Nullable HttpResponse onServiceException(ServiceRequestContext ctx, Throwable thrown) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (cause instanceof RequestTimeoutException) {
            return answer(
                    ctx,
                    new RefusedRequestException(
                            Code.DEADLINE_EXCEEDED, "the request took too long; ask for fewer keys"));
        }
        if (cause instanceof RefusedRequestException refusal) {
            return answer(ctx, refusal);
        }
        if (cause instanceof StatusRuntimeException call) {
            return grpcStatus(call.getStatus()).toHttpResponse();
        }
        // Raised by Armeria: no route, a wrong method, a body too long. Its default handler determines the status,
        // renderStatus the form.
        boolean armerias = cause instanceof HttpStatusException
                || cause.getClass().getName().startsWith("com.linecorp.armeria.");
        return armerias ? null : answer(ctx, RefusedRequestException.of(cause));
    }

    /** Returns a refusal in the form of the request's protocol. */
    public static HttpResponse answer(ServiceRequestContext ctx, RefusedRequestException refusal) {
        return RequestForm.isGrpc(ctx.request())
                ? grpcStatus(GrpcErrors.status(refusal)).toHttpResponse()
                : error(refusal);
    }

    private static HttpResponse error(RefusedRequestException refusal) {
        Code code = refusal.code();
        byte[] body = body(code.http(), code.name(), refusal.message(), refusal.problems());
        ResponseHeadersBuilder headers =
                ResponseHeaders.builder(HttpStatus.valueOf(code.http())).contentType(MediaType.JSON_UTF_8);
        if (code == Code.UNAUTHENTICATED) {
            headers.set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer realm=\"thalweg\"");
        }
        return HttpResponse.of(headers.build(), HttpData.wrap(body));
    }

    @Override
    public AggregatedHttpResponse renderStatus(
            @Nullable ServiceRequestContext ctx,
            ServiceConfig config,
            @Nullable RequestHeaders headers,
            HttpStatus status,
            @Nullable String description,
            @Nullable Throwable cause) {
        if (ctx != null && RequestForm.isGrpc(ctx.request())) {
            return grpcStatus(GrpcErrors.status(status, config.maxRequestLength()));
        }
        String message = message(status, headers, config.maxRequestLength());
        byte[] body = body(status.code(), codeOf(status).name(), message, List.of());
        return AggregatedHttpResponse.of(status, MediaType.JSON_UTF_8, HttpData.wrap(body));
    }

    /** Returns a gRPC status, because gRPC clients ignore HTTP statuses. */
    private static AggregatedHttpResponse grpcStatus(Status status) {
        String message = status.getDescription();
        return AggregatedHttpResponse.of(ResponseHeaders.builder(HttpStatus.OK)
                .set(HttpHeaderNames.CONTENT_TYPE, "application/grpc")
                .setInt("grpc-status", status.getCode().value())
                .set("grpc-message", message == null ? "" : message)
                .build());
    }

    /** Returns an error of at most {@value #ERROR_BYTES_MAX} bytes; details that do not fit are left out. */
    public static byte[] body(int http, String status, String message, List<Problem> problems) {
        byte[] whole = bodyWith(http, status, message, problems);
        return whole.length <= ERROR_BYTES_MAX ? whole : bodyWith(http, status, message, List.of());
    }

    private static byte[] bodyWith(int http, String status, String message, List<Problem> problems) {
        return AnswerJson.bytes(out -> {
            out.writeObjectFieldStart("error");
            out.writeNumberField("code", http);
            out.writeStringField("status", status);
            out.writeStringField("message", message);
            out.writeArrayFieldStart("details");
            for (Problem problem : problems) {
                out.writeStartObject();
                out.writeStringField("path", problem.path());
                out.writeStringField("message", problem.message());
                out.writeEndObject();
            }
            out.writeEndArray();
            out.writeEndObject();
        });
    }

    private static Code codeOf(HttpStatus status) {
        return switch (status.code()) {
            case 404 -> Code.NOT_FOUND;
            case 405 -> Code.UNIMPLEMENTED;
            case 503 -> Code.UNAVAILABLE;
            case 504 -> Code.DEADLINE_EXCEEDED;
            default -> status.isClientError() ? Code.INVALID_ARGUMENT : Code.INTERNAL;
        };
    }

    private static String message(HttpStatus status, @Nullable RequestHeaders headers, long bodyBytesMax) {
        return switch (status.code()) {
            case 404 -> "nothing is served here; GET / names what is";
            case 405 ->
                (headers == null ? "the method" : headers.method()) + " is not possible here; GET / names what is";
            case 413 -> "the body is too long: at most " + bodyBytesMax + " bytes; send fewer keys";
            case 431 -> HEADERS_TOO_LONG;
            case 503 -> "the server is stopping; try again later";
            default -> status.reasonPhrase();
        };
    }
}
