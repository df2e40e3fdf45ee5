package io.thalweg.runner;

import io.thalweg.live.FlinkApi;
import io.thalweg.live.FlinkRoutes;
import io.thalweg.live.LiveRoutes;
import io.thalweg.live.inspect.FlinkInspection;
import io.thalweg.live.inspect.JobState;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.ServerConfig;
import io.thalweg.server.health.JobProbe;
import io.thalweg.server.versions.Switching;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpTimeoutException;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Serves what the store holds, without a job, until Ctrl-C or SIGTERM, which end the process with 0.
 *
 * @param port instead of {@code server.port}; null = that one
 */
public record StoreServing(
        List<FeatureView> views,
        DeploymentConfig deploymentConfig,
        @Nullable Integer port,
        Switching.Mode mode,
        Console console) {
    /** Serves what jobs elsewhere write: on the deployment's cluster, if it names one. */
    public void run() throws InterruptedException {
        serve(Clock.systemUTC(), routes(deploymentConfig), jobs(deploymentConfig));
    }

    /** Serves what was loaded as if the last event had just happened. */
    public void runAsOf(OptionalLong watermarkMs) throws InterruptedException {
        Clock asOf = watermarkMs.isEmpty()
                ? Clock.systemUTC()
                : Clock.fixed(Instant.ofEpochMilli(watermarkMs.getAsLong()), ZoneOffset.UTC);
        serve(asOf, null, JobProbe.NONE);
    }

    private void serve(Clock now, @Nullable LiveRoutes routes, JobProbe jobs) throws InterruptedException {
        int on = port == null ? deploymentConfig.server().port() : port;
        Switching switching = new Switching(mode, line -> console.err().println(line));
        ServerConfig listen = ConfiguredServer.on(on, deploymentConfig.server(), switching);
        Serving serving = Serving.start(views, deploymentConfig, listen, now, routes, jobs, metrics -> {});
        Interrupt interrupt = Interrupt.with(0, serving::stop);
        console.err().println(serving.where() + ", Ctrl-C ends it");
        new CountDownLatch(1).await();
        interrupt.disarm();
    }

    /** Returns the routes to the deployment's job on its cluster. */
    private static @Nullable LiveRoutes routes(DeploymentConfig deploymentConfig) {
        DeploymentConfig.Flink cluster = deploymentConfig.flink();
        return cluster == null
                ? null
                : new FlinkRoutes(
                        cluster.rest(), JobKind.RUN.of(deploymentConfig).name());
    }

    /**
     * Returns a probe of the jobs on the deployment's cluster. Their state does not affect readiness, because this process serves
     * without them.
     */
    private static JobProbe jobs(DeploymentConfig deploymentConfig) {
        DeploymentConfig.Flink cluster = deploymentConfig.flink();
        return cluster == null
                ? JobProbe.NONE
                : new ClusterProbe(new FlinkInspection(new FlinkApi(cluster.rest()), InstantSource.system()), cluster);
    }

    private record ClusterProbe(FlinkInspection inspection, DeploymentConfig.Flink cluster) implements JobProbe {
        @Override
        public Optional<String> trouble() {
            return Optional.empty();
        }

        @Override
        public List<JobState> jobs() throws IOException, InterruptedException {
            try {
                return inspection.jobs();
            } catch (ConnectException | HttpTimeoutException e) { // whose messages do not name the address
                throw new IOException("flink.rest " + cluster.rest() + " cannot be reached", e);
            }
        }
    }
}
