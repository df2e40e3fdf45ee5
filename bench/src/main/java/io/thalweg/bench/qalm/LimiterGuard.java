package io.thalweg.bench.qalm;

import com.netflix.concurrency.limits.Limit;
import com.netflix.concurrency.limits.Limiter;
import com.netflix.concurrency.limits.limit.Gradient2Limit;
import com.netflix.concurrency.limits.limit.VegasLimit;
import com.netflix.concurrency.limits.limit.WindowedLimit;
import com.netflix.concurrency.limits.limiter.AbstractPartitionedLimiter;
import io.grpc.ServerBuilder;
import io.grpc.Status;
import io.thalweg.bench.qalm.LimitingInterceptor.Permit;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Netflix' concurrency-limits with its windows and defaults. Nine tenths of the limit are promised to callers of levels 0 and 1, as
 * its partitions allow.
 */
final class LimiterGuard implements Guard {
    private static final double CRITICAL_SHARE = 0.9;

    private final Experiment experiment;
    private final Limiter<Boolean> limiter;

    private LimiterGuard(Experiment experiment, Limit limit) {
        this.experiment = experiment;
        limiter = new ByCriticality.Builder()
                .limit(limit)
                .partitionResolver(critical -> critical ? "critical" : "other")
                .partition("critical", CRITICAL_SHARE)
                .partition("other", 1 - CRITICAL_SHARE)
                .build();
    }

    static LimiterGuard of(String name, Experiment experiment) {
        int most = 10 * experiment.workers();
        Limit limit = name.equals("vegas")
                ? VegasLimit.newBuilder()
                        .initialLimit(experiment.workers())
                        .maxConcurrency(most)
                        .build()
                : Gradient2Limit.newBuilder()
                        .initialLimit(experiment.workers())
                        .maxConcurrency(most)
                        .build();
        return new LimiterGuard(experiment, WindowedLimit.newBuilder().build(limit));
    }

    @Override
    public void protect(ServerBuilder<?> server, Executor workers) {
        LimitingInterceptor.protect(
                server, workers, Status.UNAVAILABLE, (method, caller) -> permit(experiment.level(caller) <= 1));
    }

    private @Nullable Permit permit(boolean critical) {
        return limiter.acquire(critical)
                .map(held -> (Permit) status -> {
                    switch (status.getCode()) {
                        case OK -> held.onSuccess();
                        case DEADLINE_EXCEEDED, UNAVAILABLE -> held.onDropped();
                        default -> held.onIgnore();
                    }
                })
                .orElse(null);
    }

    private static final class ByCriticality extends AbstractPartitionedLimiter<Boolean> {
        private ByCriticality(Builder builder) {
            super(builder);
        }

        static final class Builder extends AbstractPartitionedLimiter.Builder<Builder, Boolean> {
            @Override
            protected Builder self() {
                return this;
            }

            @Override
            public ByCriticality build() {
                return new ByCriticality(this);
            }
        }
    }
}
