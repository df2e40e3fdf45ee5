package io.thalweg.bench.qalm;

import io.grpc.ServerBuilder;
import java.util.List;
import java.util.concurrent.Executor;

/** Protects the service. */
public interface Guard extends AutoCloseable {
    /** No protection, Thalweg, then the others. */
    List<String> SYSTEMS = List.of("none", "thalweg", "on_off", "gradient2", "vegas", "bulkhead", "sentinel");

    /** Protects a server whose calls {@code workers} run. */
    void protect(ServerBuilder<?> server, Executor workers);

    @Override
    default void close() {}

    /** Returns the system of a name, configured for an experiment as an operator who knows the service would do it. */
    static Guard of(String name, Experiment experiment) {
        return switch (name) {
            case "none" -> (server, workers) -> server.executor(workers);
            case "thalweg" -> new QalmGuard(experiment);
            case "on_off" -> new OnOffGuard(experiment);
            case "gradient2" -> LimitingInterceptor.guard(RivalLimiters.gradient2(experiment));
            case "vegas" -> LimitingInterceptor.guard(RivalLimiters.vegas(experiment));
            case "bulkhead" -> LimitingInterceptor.guard(RivalLimiters.bulkhead(experiment));
            case "sentinel" -> LimitingInterceptor.guard(RivalLimiters.sentinel(experiment));
            default ->
                throw new IllegalArgumentException("the systems are " + String.join(", ", SYSTEMS) + ", was " + name);
        };
    }
}
