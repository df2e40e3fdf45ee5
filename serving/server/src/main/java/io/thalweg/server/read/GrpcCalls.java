package io.thalweg.server.read;

import com.linecorp.armeria.server.ServiceRequestContext;
import io.grpc.stub.StreamObserver;
import io.thalweg.server.http.GrpcErrors;
import io.thalweg.server.http.RefusedRequestException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** Answers calls of gRPC from the threads that may block on the store. */
public final class GrpcCalls {
    private GrpcCalls() {}

    /** Answers from a thread that may block; failures become gRPC statuses. */
    public static <T> void answer(Readers readers, StreamObserver<T> observer, Supplier<T> answer) {
        // The event loop writes the parts of an answer; from another thread each part would wake it up.
        answerAll(
                readers,
                observer,
                () -> List.of(answer.get()),
                ServiceRequestContext.current().eventLoop());
    }

    /**
     * Answers with any number of messages.
     *
     * @param sender sends them; if it is the event loop, that does nothing else meanwhile
     */
    public static <T> void answerAll(
            Readers readers, StreamObserver<T> observer, Supplier<List<T>> answer, Executor sender) {
        io.grpc.Context call = io.grpc.Context.current();
        var unused = readers.submit(answer, call::isCancelled)
                .whenCompleteAsync(
                        (messages, failure) -> {
                            if (failure == null) {
                                messages.forEach(observer::onNext);
                                observer.onCompleted();
                            } else {
                                observer.onError(GrpcErrors.status(RefusedRequestException.of(failure))
                                        .asRuntimeException());
                            }
                        },
                        sender);
    }
}
