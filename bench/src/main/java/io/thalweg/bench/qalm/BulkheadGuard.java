package io.thalweg.bench.qalm;

import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.grpc.ServerBuilder;
import io.grpc.Status;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;

/**
 * resilience4j's semaphore bulkhead, one for each method, together as many permits as workers: an operator knows that
 * number. It does not distinguish callers.
 */
final class BulkheadGuard implements Guard {
    private final Map<String, Bulkhead> bulkheads;

    BulkheadGuard(Experiment experiment) {
        int each = Math.max(1, experiment.workers() / experiment.methods().size());
        BulkheadConfig config = BulkheadConfig.custom()
                .maxConcurrentCalls(each)
                .maxWaitDuration(Duration.ZERO)
                .build();
        bulkheads = experiment.methods().stream()
                .collect(Collectors.toMap(name -> Wire.SERVICE + "/" + name, name -> Bulkhead.of(name, config)));
    }

    @Override
    public void protect(ServerBuilder<?> server, Executor workers) {
        LimitingInterceptor.protect(server, workers, Status.UNAVAILABLE, (method, caller) -> {
            Bulkhead bulkhead = Objects.requireNonNull(bulkheads.get(method));
            return bulkhead.tryAcquirePermission() ? status -> bulkhead.onComplete() : null;
        });
    }
}
