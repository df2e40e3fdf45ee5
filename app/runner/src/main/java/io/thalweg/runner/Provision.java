package io.thalweg.runner;

import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Creates the missing resources of an ingest. Existing ones stay unchanged, so the command may be repeated.
 *
 * <p><b>Errors.</b> {@link io.thalweg.runner.UserError} if something cannot be created, or an existing table does not fit the rows.
 */
public record Provision(IngestPlan plan, DeploymentConfig deploymentConfig) {
    /** Creates missing resources, and prints a line for each resource, created or existing. */
    public void run(Console console) {
        source().forEach(console.out()::println);
        sink().forEach(console.out()::println);
    }

    private List<String> source() {
        if (plan.ingest().input().from() instanceof Ingest.PubSub subscription) {
            return PubSubTargets.create(subscription, deploymentConfig);
        }
        if (!(plan.ingest().input().from() instanceof Ingest.Topic topic)) {
            return List.of();
        }
        KafkaTopics kafka = new KafkaTopics(KafkaClusters.of(deploymentConfig));
        List<String> made = new ArrayList<>(kafka.create(topic));
        Set<String> letters = Set.of(plan.ingest().deadLetters().topic());
        made.addAll(kafka.prepareToIngest(topic, plan.ingest().sink(), letters));
        return made.isEmpty()
                ? List.of("topics %s and %s are there"
                        .formatted(topic.topic(), plan.ingest().deadLetters().topic()))
                : made;
    }

    private List<String> sink() {
        Ingest.Sink sink = plan.ingest().sink();
        if (sink instanceof Ingest.BigQuerySink bigQuery) {
            return BigQueryTargets.provision(bigQuery, deploymentConfig, plan.table());
        }
        List<String> made = new ArrayList<>(plan.register(Registries.of(deploymentConfig)));
        List<String> topic = new KafkaTopics(KafkaClusters.of(deploymentConfig)).prepareToWrite(sink);
        if (!topic.isEmpty()) {
            made.addAll(topic);
            return made;
        }
        boolean missing = IngestTargets.isMissing(sink, deploymentConfig);
        IngestTargets.require(plan, deploymentConfig);
        made.add(missing ? "created " + sink.text() : sink.text() + " is there");
        return made;
    }
}
