package io.thalweg.pipelinetest;

import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.pipelinetest.PipelineTest.Condition;
import io.thalweg.runner.ConfiguredLookups;
import io.thalweg.runner.UserError;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The resources that tests use outside their process.
 *
 * @param flink the REST API of a Flink cluster; null = there is none
 */
public record TestTargets(
        ConfiguredLookups lookups, @Nullable URI flink) {
    /**
     * Returns the resources of a deployment for these tests.
     *
     * @throws UserError if a test needs one that the deployment does not have
     */
    static TestTargets of(DeploymentConfig deploymentConfig, List<PipelineTest> tests) {
        DeploymentConfig.Flink flink = deploymentConfig.flink();
        if (flink == null) {
            tests.stream()
                    .filter(test -> test.under().contains(Condition.CLUSTER))
                    .findFirst()
                    .ifPresent(test -> {
                        throw UserError.usage(
                                "test %s has the condition cluster, but thalweg.yaml has no flink: {rest: …}"
                                        .formatted(test.name()),
                                "name a cluster on this machine: deploy/local-cluster/cluster.sh start runs one; or remove"
                                        + " cluster from under");
                    });
        }
        return new TestTargets(ConfiguredLookups.of(deploymentConfig), flink == null ? null : flink.rest());
    }
}
