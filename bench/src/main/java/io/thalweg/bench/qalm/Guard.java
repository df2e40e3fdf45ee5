package io.thalweg.bench.qalm;

import io.grpc.ServerBuilder;
import java.util.concurrent.Executor;

/** What stands in front of the service. */
interface Guard extends AutoCloseable {
    /** Puts itself in front of a server whose calls are done by {@code workers}. */
    void protect(ServerBuilder<?> server, Executor workers);

    /** How it stands, for people; empty if it has nothing to say. */
    default String state() {
        return "";
    }

    @Override
    default void close() {}

    /** The system of a name, set up for an experiment as an operator who knows the service would do it. */
    static Guard of(String name, Experiment experiment) {
        return switch (name) {
            case "none" -> (server, workers) -> server.executor(workers);
            case "thalweg" -> new QalmGuard(experiment);
            case "on_off" -> new OnOffGuard(experiment);
            case "gradient2", "vegas" -> LimiterGuard.of(name, experiment);
            case "bulkhead" -> new BulkheadGuard(experiment);
            case "sentinel" -> new SentinelGuard(experiment);
            default ->
                throw new IllegalArgumentException(
                        "the systems are " + String.join(", ", Systems.NAMES) + ", was " + name);
        };
    }
}
