package io.thalweg.qalm.grpc;

import io.grpc.Context;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallExecutorSupplier;
import io.thalweg.qalm.Qalm;
import io.thalweg.qalm.wire.CallHeaders;
import io.thalweg.qalm.wire.Endpoints;
import io.thalweg.qalm.wire.PeerIdentity;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/** Creates a {@link GrpcCall} for each call. Runs on the transport's thread when the headers arrive. */
final class LaneExecutors implements ServerCallExecutorSupplier {
    /** Creating a key is slow, and each call reads the same few headers. */
    private static final ConcurrentHashMap<String, Metadata.Key<String>> KEYS = new ConcurrentHashMap<>();

    private final Qalm qalm;
    private final Executor workers;

    LaneExecutors(Qalm qalm, Executor workers) {
        this.qalm = qalm;
        this.workers = workers;
    }

    @Override
    public <ReqT, RespT> Executor getExecutor(ServerCall<ReqT, RespT> call, Metadata headers) {
        String endpoint = call.getMethodDescriptor().getFullMethodName();
        if (Endpoints.unmanaged(endpoint)) {
            return workers;
        }
        long now = qalm.nanoTime();
        CallHeaders read = CallHeaders.read(name -> headers.get(ascii(name)), Long.hashCode(now));
        String proven = PeerIdentity.of(call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION));
        return new GrpcCall(read, proven, now, qalm.lane(endpoint), workers, Context.current());
    }

    static Metadata.Key<String> ascii(String name) {
        Metadata.Key<String> known = KEYS.get(name);
        return known != null
                ? known
                : KEYS.computeIfAbsent(name, made -> Metadata.Key.of(made, Metadata.ASCII_STRING_MARSHALLER));
    }
}
