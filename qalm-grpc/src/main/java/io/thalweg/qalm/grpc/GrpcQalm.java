package io.thalweg.qalm.grpc;

import io.grpc.ClientInterceptor;
import io.grpc.ServerBuilder;
import io.thalweg.qalm.Qalm;
import io.thalweg.qalm.wire.ClientThrottles;
import java.util.Map;
import java.util.concurrent.Executor;

/** Turns load management on for a grpc-java server or client: one line each. */
public final class GrpcQalm {
    private GrpcQalm() {}

    /**
     * Protects a server; to be called last, so that no interceptor works for calls that are refused.
     *
     * <p>Calls are stamped and queued on the transport's threads, before any executor, and are worked on by {@code workers}, as
     * many at a time as {@link io.thalweg.qalm.QalmConfig#slots} says: the two sizes belong together. A stream is admitted like
     * any call and gives its slot back once it is open, for it may last for days. Health checks and reflection always pass.
     */
    public static void protect(ServerBuilder<?> server, Qalm qalm, Executor workers) {
        server.directExecutor().callExecutor(new LaneExecutors(qalm, workers)).intercept(new LaneInterceptor());
    }

    /**
     * Makes a client pass on, from the call that is being served, how critical it is (deadlines gRPC passes on itself), say who
     * calls, and keep back what the server would refuse.
     *
     * @param caller the name of this service, as registries know it
     */
    public static ClientInterceptor client(String caller) {
        return new PropagatingInterceptor(caller, new ClientThrottles(System::nanoTime));
    }

    /**
     * gRPC's own bound on retries, for {@link io.grpc.ManagedChannelBuilder#defaultServiceConfig}: one retry for ten answers.
     */
    public static Map<String, ?> retryBudget() {
        return Map.of("retryThrottling", Map.of("maxTokens", 10.0, "tokenRatio", 0.1));
    }
}
