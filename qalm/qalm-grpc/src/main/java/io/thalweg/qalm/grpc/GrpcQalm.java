package io.thalweg.qalm.grpc;

import io.grpc.ClientInterceptor;
import io.grpc.ServerBuilder;
import io.thalweg.qalm.Qalm;
import io.thalweg.qalm.wire.ClientThrottles;
import java.util.Map;
import java.util.concurrent.Executor;

/** Adds load management to a grpc-java server or client, each with one method call. */
public final class GrpcQalm {
    private GrpcQalm() {}

    /**
     * Protects a server. Call it last, so that no interceptor runs for calls that are refused.
     *
     * <p>Calls are queued on the transport's threads, before any executor, and run on {@code workers}, at most {@link
     * io.thalweg.qalm.QalmConfig#slots} at a time: give the pool the same size. A stream is admitted like any call and returns its slot
     * once it is open, because it may last for days. Health checks and reflection always pass.
     */
    public static void protect(ServerBuilder<?> server, Qalm qalm, Executor workers) {
        server.directExecutor().callExecutor(new LaneExecutors(qalm, workers)).intercept(new LaneInterceptor());
    }

    /**
     * Makes a client send its name and the criticality of the call being served, and hold back calls that the server would refuse.
     * (gRPC itself forwards the deadline.)
     *
     * @param caller the name of this service in the rules of others
     */
    public static ClientInterceptor client(String caller) {
        return new PropagatingInterceptor(caller, new ClientThrottles(System::nanoTime));
    }

    /**
     * Returns a service config for {@link io.grpc.ManagedChannelBuilder#defaultServiceConfig} that limits retries to one per ten answers.
     */
    public static Map<String, ?> retryBudget() {
        return Map.of("retryThrottling", Map.of("maxTokens", 10.0, "tokenRatio", 0.1));
    }
}
