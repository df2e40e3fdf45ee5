package io.thalweg.bench.qalm;

import com.alibaba.csp.sentinel.AsyncEntry;
import com.alibaba.csp.sentinel.EntryType;
import com.alibaba.csp.sentinel.SphU;
import com.alibaba.csp.sentinel.slots.block.BlockException;
import com.alibaba.csp.sentinel.slots.block.RuleConstant;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRule;
import com.alibaba.csp.sentinel.slots.block.flow.FlowRuleManager;
import io.grpc.ServerBuilder;
import io.grpc.Status;
import io.thalweg.bench.qalm.LimitingInterceptor.Permit;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Sentinel with a rule for each method: calls a second, together what the service can do, measured beforehand by the operator who sets
 * it up.
 */
final class SentinelGuard implements Guard {
    private final List<FlowRule> rules;

    SentinelGuard(Experiment experiment) {
        int methods = experiment.methods().size();
        rules = experiment.methods().stream()
                .map(method -> {
                    FlowRule rule = new FlowRule(Wire.SERVICE + "/" + method);
                    rule.setGrade(RuleConstant.FLOW_GRADE_QPS);
                    rule.setCount(experiment.capacityPerSecond() / methods);
                    return rule;
                })
                .toList();
    }

    @Override
    public void protect(ServerBuilder<?> server, Executor workers) {
        FlowRuleManager.loadRules(rules);
        LimitingInterceptor.protect(server, workers, Status.UNAVAILABLE, (method, caller) -> enter(method));
    }

    private static @Nullable Permit enter(String method) {
        try {
            AsyncEntry entry = SphU.asyncEntry(method, EntryType.IN);
            return status -> entry.exit();
        } catch (BlockException e) {
            return null;
        }
    }
}
