package io.thalweg.runner;

import io.thalweg.jobs.deadletters.FileDeadLetters;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.jobs.pubsub.PullAccount;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.server.telemetry.Metrics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A subscription that an ingest reads.
 *
 * @param idle how long nothing must have been delivered before a run with {@code --once} ends
 */
public record SubscriptionSource(Ingest.PubSub source, DeploymentConfig deploymentConfig, Duration idle)
        implements LiveSource {
    @Override
    public JobPlan job(IngestPlan plan, @Nullable Path deadLetters) {
        Path letters = Objects.requireNonNull(deadLetters, "letters of messages go to a file");
        return JobPlan.ingest(plan, source, deploymentConfig, new FileDeadLetters(letters.toString()));
    }

    @Override
    public Watch watch(JobPlan job, String id, String resume, boolean once) {
        return new SubscriptionWatch(source, PullAccount.of(id), idle);
    }

    /** Watches what the service delivers. Its API does not report how much it has queued. */
    private record SubscriptionWatch(Ingest.PubSub source, PullAccount account, Duration idle) implements Watch {
        @Override
        public void register(Metrics metrics, String ingest) {
            JobSeries.register(metrics, ingest, account);
        }

        @Override
        public String behind() {
            return String.format(Locale.ROOT, "behind %.1f s", account.behind().toMillis() / 1e3);
        }

        @Override
        public boolean isDone() {
            return account.quiet().compareTo(idle) >= 0;
        }

        @Override
        public String summary() {
            return "delivered=%d repeated=%d retries=%d from %s"
                    .formatted(account.delivered(), account.repeated(), account.retries(), source.text());
        }

        @Override
        public void close() {
            // Nothing to close: the job closes its streams.
        }
    }
}
