package io.thalweg.bench.qalm;

import com.alibaba.csp.sentinel.AsyncEntry;
import com.alibaba.csp.sentinel.EntryType;
import com.alibaba.csp.sentinel.SphU;
import com.alibaba.csp.sentinel.slots.block.BlockException;
import com.alibaba.csp.sentinel.slots.block.RuleConstant;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRuleManager;
import com.netflix.concurrency.limits.Limit;
import com.netflix.concurrency.limits.limit.Gradient2Limit;
import com.netflix.concurrency.limits.limit.VegasLimit;
import com.netflix.concurrency.limits.limit.WindowedLimit;
import com.netflix.concurrency.limits.limiter.AbstractPartitionedLimiter;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import io.grpc.Status;
import io.thalweg.bench.qalm.LimitingInterceptor.Limiter;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Other libraries, each configured for an experiment as an operator who knows the service would do it. */
final class RivalLimiters {
    private static final double CRITICAL_SHARE = 0.9;

    private RivalLimiters() {}

    /**
     * resilience4j's semaphore bulkhead, one for each method, with as many permits together as there are workers, a number that
     * an operator knows. It does not distinguish callers.
     */
    static Limiter bulkhead(Experiment experiment) {
        BulkheadConfig config = BulkheadConfig.custom()
                .maxConcurrentCalls(
                        Math.max(1, experiment.workers() / experiment.methods().size()))
                .maxWaitDuration(Duration.ZERO)
                .build();
        Map<String, Bulkhead> bulkheads = experiment.methods().stream()
                .map(Wire::fullName)
                .collect(Collectors.toMap(Function.identity(), name -> Bulkhead.of(name, config)));
        return (method, caller) -> {
            Bulkhead bulkhead = Objects.requireNonNull(bulkheads.get(method));
            return bulkhead.tryAcquirePermission() ? status -> bulkhead.onComplete() : null;
        };
    }

    /**
     * Sentinel with a rule for each method: calls a second, together the capacity of the service, which the operator has measured
     * in advance.
     */
    static Limiter sentinel(Experiment experiment) {
        FlowRuleManager.loadRules(experiment.methods().stream()
                .map(method -> {
                    FlowRule rule = new FlowRule(Wire.fullName(method));
                    rule.setGrade(RuleConstant.FLOW_GRADE_QPS);
                    rule.setCount(experiment.capacityPerSecond()
                            / experiment.methods().size());
                    return rule;
                })
                .toList());
        return (method, caller) -> {
            try {
                AsyncEntry entry = SphU.asyncEntry(method, EntryType.IN);
                return status -> entry.exit();
            } catch (BlockException e) {
                return null;
            }
        };
    }

    /** Netflix' concurrency-limits with the algorithm of TCP Vegas. */
    static Limiter vegas(Experiment experiment) {
        return netflix(
                experiment,
                VegasLimit.newBuilder()
                        .initialLimit(experiment.workers())
                        .maxConcurrency(10 * experiment.workers())
                        .build());
    }

    /** Netflix' concurrency-limits with the latency gradient. */
    static Limiter gradient2(Experiment experiment) {
        return netflix(
                experiment,
                Gradient2Limit.newBuilder()
                        .initialLimit(experiment.workers())
                        .maxConcurrency(10 * experiment.workers())
                        .build());
    }

    /**
     * Creates a limiter with the library's windows and defaults. Nine tenths of the limit are guaranteed to callers of levels 0
     * and 1, as its partitions allow.
     */
    private static Limiter netflix(Experiment experiment, Limit limit) {
        ByCriticality limiter = new ByCriticality.Builder()
                .limit(WindowedLimit.newBuilder().build(limit))
                .partitionResolver(critical -> critical ? "critical" : "other")
                .partition("critical", CRITICAL_SHARE)
                .partition("other", 1 - CRITICAL_SHARE)
                .build();
        return (method, caller) -> limiter.acquire(experiment.level(caller) <= 1)
                .map(held -> (Consumer<Status>) status -> {
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
