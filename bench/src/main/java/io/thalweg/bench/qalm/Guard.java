package io.thalweg.bench.qalm;

import io.grpc.ServerBuilder;
import io.thalweg.qalm.CallerPolicy;
import io.thalweg.qalm.Criticality;
import io.thalweg.qalm.EndpointPolicy;
import io.thalweg.qalm.LaneConfig;
import io.thalweg.qalm.Policy;
import io.thalweg.qalm.QalmConfig;
import io.thalweg.qalm.grpc.GrpcQalm;
import io.thalweg.qalm.live.LiveQalm;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Collectors;

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

    /** Thalweg with the usual configuration: the size of the pool, and the criticality of the callers. */
    static final class QalmGuard implements Guard {
        private final LiveQalm live;

        QalmGuard(Experiment experiment) {
            Map<String, CallerPolicy> callers = experiment.streams().stream()
                    .map(Experiment.Stream::caller)
                    .distinct()
                    .collect(Collectors.toMap(
                            Function.identity(),
                            caller -> new CallerPolicy(Criticality.ofLevel(experiment.level(caller)))));
            Policy policy = endpoint -> new EndpointPolicy(
                    LaneConfig.DEFAULT, caller -> callers.getOrDefault(caller, CallerPolicy.DEFAULT));
            QalmConfig config =
                    new QalmConfig(experiment.workers(), Runtime.getRuntime().availableProcessors());
            live = LiveQalm.start(config, policy);
        }

        @Override
        public void protect(ServerBuilder<?> server, Executor workers) {
            GrpcQalm.protect(server, live.qalm(), workers);
        }

        @Override
        public void close() {
            live.close();
        }
    }
}
