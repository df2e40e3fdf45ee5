package io.thalweg.runner;

import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.server.MetricsServer;
import io.thalweg.server.health.JobProbe;
import io.thalweg.server.http.ServerStartException;
import io.thalweg.server.telemetry.Metrics;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The port of a job that does not serve features, which {@code --port} names: the console and metrics. */
final class JobPort implements AutoCloseable {
    private final MetricsServer server;
    private final String address;

    private JobPort(MetricsServer server, String address) {
        this.server = server;
        this.address = address;
    }

    /**
     * Starts listening.
     *
     * @param port null = nowhere
     * @param server the address, and who may use the port
     * @param series adds the series of the job
     * @return null = nowhere
     */
    static @Nullable JobPort open(
            @Nullable Integer port, DeploymentConfig.Server server, JobProbe job, Consumer<Metrics> series) {
        if (port == null) {
            return null;
        }
        Metrics metrics = new Metrics();
        Serving.registerBuild(metrics);
        series.accept(metrics);
        try {
            MetricsServer listening = MetricsServer.start(server.bind(), port, server.access(), job, metrics);
            return new JobPort(listening, Serving.address(server.access(), server.bind(), listening.port()));
        } catch (ServerStartException e) {
            throw UserError.failed(String.valueOf(e.getMessage()), "choose another --port")
                    .causedBy(e);
        }
    }

    /** Where the console and metrics are, for people. */
    String where() {
        return "console at %s, metrics at %s/metrics".formatted(address, address);
    }

    @Override
    public void close() {
        server.close();
    }
}
