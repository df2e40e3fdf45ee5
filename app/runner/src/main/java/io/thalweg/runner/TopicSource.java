package io.thalweg.runner;

import io.thalweg.jobs.ingest.account.IngestJobAccount;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.server.telemetry.Metrics;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A topic that an ingest reads. */
public record TopicSource(Ingest.Topic topic, DeploymentConfig deploymentConfig) implements LiveSource {
    @Override
    public JobPlan job(IngestPlan plan, @Nullable Path deadLetters) {
        return JobPlan.ingest(plan, topic, deploymentConfig, deadLetters);
    }

    @Override
    public Watch watch(JobPlan job, String id, String resume, boolean once) {
        Map<Integer, Long> ends = once ? job.ends(topic, resume) : Map.of();
        IngestJobAccount counts = IngestJobAccount.of(id);
        return new TopicWatch(
                TopicLag.start(topic.topic(), cluster(), counts),
                KafkaWatch.of(topic.kafka(), deploymentConfig),
                counts,
                ends);
    }

    private Map<String, String> cluster() {
        return KafkaClusters.of(deploymentConfig, topic.kafka());
    }

    /**
     * Watches the topic and its brokers.
     *
     * @param ends the offset of the last record of each partition that is read
     */
    private record TopicWatch(TopicLag lag, KafkaWatch brokers, IngestJobAccount counts, Map<Integer, Long> ends)
            implements Watch {
        @Override
        public void register(Metrics metrics, String ingest) {
            brokers.register(metrics);
            JobSeries.register(metrics, ingest, counts, lag);
        }

        @Override
        public String behind() {
            return lag.records() < 0 ? "" : String.format(Locale.ROOT, "%,d behind", lag.records());
        }

        @Override
        public boolean isDone() {
            return counts.hasPassed(ends);
        }

        @Override
        public String summary() {
            return "";
        }

        @Override
        public void close() {
            lag.close();
            brokers.close();
        }
    }
}
