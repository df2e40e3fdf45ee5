package io.thalweg.cli.test;

import io.thalweg.cli.ConfiguredLookups;
import io.thalweg.cli.UserError;
import io.thalweg.cli.test.PipelineTest.Condition;
import io.thalweg.model.deployment.DeploymentConfig;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The resources that tests use outside their process.
 *
 * @param flink the REST API of a Flink cluster; null = there is none
 */
record TestTargets(ConfiguredLookups lookups, @Nullable URI flink) {
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
