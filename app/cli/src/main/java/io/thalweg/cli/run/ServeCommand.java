package io.thalweg.cli.run;

import io.thalweg.cli.Config;
import io.thalweg.cli.Console;
import io.thalweg.cli.UserError;
import io.thalweg.cli.ViewFiles;
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
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg serve}: answers reads from the store, without a job. */
@Command(
        name = "serve",
        description =
                "Serves what the store holds. The embedded store belongs to one process: where a job runs, it serves.",
        footer = {"", "Example:", "  thalweg serve --config thalweg.yaml"})
public final class ServeCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(arity = "0..*", paramLabel = "VIEW", description = "Views to serve; those of views: in thalweg.yaml.")
    private List<String> views = List.of();

    @Mixin
    private final Config config = new Config();

    @Option(names = "--port", paramLabel = "N", description = "Serve on this port instead of server.port.")
    private @Nullable Integer port;

    @Option(
            names = "--replace",
            description = "Switch reads of a name to the newest version of its view once that has caught up.")
    private boolean replace;

    @Mixin
    private final VersionSwitch versions = new VersionSwitch();

    public ServeCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws InterruptedException {
        ConfiguredServer.requirePort(port);
        ViewFiles files = config.views(console);
        List<FeatureView> loaded = views.isEmpty() ? files.allServed() : files.served(views);
        if (loaded.isEmpty()) {
            throw UserError.usage(
                    "there is no view to serve", "name its file, or list its folder under views: in thalweg.yaml");
        }
        DeploymentConfig.Server server = files.deploymentConfig().server();
        int on = port == null ? server.port() : port;
        Switching switching =
                new Switching(versions.mode(replace, on), line -> console.err().println(line));
        ServerConfig listen = ConfiguredServer.on(on, server, switching);
        Serving serving = Serving.start(
                loaded,
                files.deploymentConfig(),
                listen,
                Clock.systemUTC(),
                routes(files.deploymentConfig()),
                jobs(files.deploymentConfig()),
                metrics -> {});
        untilInterrupted(serving, console);
        return 0;
    }

    /** Serves until Ctrl-C or SIGTERM, which end the process with 0. */
    static void untilInterrupted(Serving serving, Console console) throws InterruptedException {
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
