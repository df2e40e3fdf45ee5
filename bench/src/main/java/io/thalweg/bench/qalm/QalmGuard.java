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
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Thalweg with the usual configuration: the size of the pool, and the criticality of the callers. */
final class QalmGuard implements Guard {
    private final LiveQalm live;

    QalmGuard(Experiment experiment) {
        Map<String, CallerPolicy> callers = experiment.streams().stream()
                .map(Experiment.Stream::caller)
                .distinct()
                .collect(Collectors.toMap(
                        Function.identity(),
                        caller -> new CallerPolicy(Criticality.ofLevel(experiment.level(caller)))));
        Policy policy = endpoint ->
                new EndpointPolicy(LaneConfig.DEFAULT, caller -> callers.getOrDefault(caller, CallerPolicy.DEFAULT));
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
