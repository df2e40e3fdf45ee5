package io.thalweg.server.http;

import com.google.protobuf.InvalidProtocolBufferException;
import com.linecorp.armeria.common.ContentTooLargeException;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.RequestContext;
import com.linecorp.armeria.common.grpc.GrpcExceptionHandlerFunction;
import com.linecorp.armeria.server.RequestTimeoutException;
import io.grpc.Metadata;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/** The gRPC statuses of calls that fail before they reach their method, or that are not answered in time. */
public final class GrpcErrors implements GrpcExceptionHandlerFunction {
    /** Returns null where Armeria's status is right. */
    @Override
    public @Nullable Status apply(RequestContext ctx, Status status, Throwable thrown, Metadata metadata) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof RequestTimeoutException) {
                return Status.DEADLINE_EXCEEDED.withDescription("the deadline of the call has passed");
            }
            if (cause instanceof ContentTooLargeException tooLarge) {
                return tooLong(tooLarge.maxContentLength());
            }
            if (cause instanceof InvalidProtocolBufferException broken) {
                return Status.INVALID_ARGUMENT.withDescription(message(broken));
            }
            if (cause instanceof IndexOutOfBoundsException) {
                return Status.INVALID_ARGUMENT.withDescription("the message is incomplete");
            }
        }
        if (thrown instanceof IllegalArgumentException && status.getCode() == Status.Code.INVALID_ARGUMENT) {
            return status.withDescription("grpc-timeout: must be up to 8 digits and one of H, M, S, m, u and n");
        }
        return null;
    }

    /** Returns why a message cannot be decoded. */
    public static String message(InvalidProtocolBufferException broken) {
        return String.valueOf(broken.getMessage()).contains("UTF-8")
                ? "text in the message is not UTF-8"
                : "the message cannot be decoded; it must be of the type that the method takes";
    }

    public static Status status(RefusedRequestException refusal) {
        return Status.fromCode(Status.Code.valueOf(refusal.code().name())).withDescription(refusal.message());
    }

    /** Returns the status in place of an HTTP status that Armeria raises before a call reaches its method. */
    static Status status(HttpStatus status, long messageBytesMax) {
        return switch (status.code()) {
            case 404, 405 ->
                Status.UNIMPLEMENTED.withDescription(
                        "no such service or method; server reflection lists what is served");
            case 413 -> tooLong(messageBytesMax);
            case 431 -> Status.RESOURCE_EXHAUSTED.withDescription(HttpErrors.HEADERS_TOO_LONG);
            case 503 -> Status.UNAVAILABLE.withDescription("the server is stopping; try again later");
            case 504 -> Status.DEADLINE_EXCEEDED.withDescription("the deadline of the call has passed");
            default ->
                (status.isClientError() ? Status.INVALID_ARGUMENT : Status.INTERNAL)
                        .withDescription(status.reasonPhrase());
        };
    }

    private static Status tooLong(long bytesMax) {
        return Status.RESOURCE_EXHAUSTED.withDescription(
                "the message is above the limit of " + bytesMax + " bytes; send fewer keys");
    }
}
