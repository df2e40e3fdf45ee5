package io.thalweg.cli;

import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.Console;
import io.thalweg.runner.JobPlan;
import io.thalweg.runner.PublishRun;
import io.thalweg.runner.UserError;
import io.thalweg.runner.ViewFiles;
import io.thalweg.server.versions.Switching;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg publish}: writes rows of views from their topics into the store. */
@Command(
        name = "publish",
        description = "Writes the rows of views from their sink topics into the store of thalweg.yaml, until Ctrl-C.",
        footer = {
            "",
            "Examples:",
            "  thalweg publish demand supply --config thalweg.yaml",
            "  thalweg publish demand --once"
        })
public final class PublishCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(arity = "1..*", paramLabel = "VIEW", description = "A file, or a name found in views: of thalweg.yaml.")
    private List<String> views = List.of();

    @Mixin
    private final Config config = new Config();

    @Option(names = "--once", description = "End when what the topics hold now is written.")
    private boolean once;

    @Option(
            names = "--serve",
            description = "Serve while publishing; always so with --port, and with the embedded store unless --once.")
    private boolean serve;

    @Option(
            names = "--resume",
            paramLabel = "latest|PATH|none",
            description =
                    "Begin from the latest checkpoint of this deployment and these views, from a given one, or from none: with"
                            + " the oldest rows that have not expired.")
    private String resume = "latest";

    @Mixin
    private final ClusterOptions onCluster = new ClusterOptions();

    @Mixin
    private final ServingOptions serving = new ServingOptions();

    @Mixin
    private final JobOptions options = new JobOptions();

    public PublishCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws InterruptedException {
        options.require();
        serving.require();
        ViewFiles files = config.views(console);
        List<FeatureView> loaded = files.loadSome(views);
        loaded.forEach(JobPlan::requireRows);
        DeploymentConfig deploymentConfig = files.deploymentConfig();
        JobPlan plan = JobPlan.publish(loaded, deploymentConfig, once);
        DeploymentConfig.Flink cluster = deploymentConfig.flink();
        if (cluster != null) {
            requireClusterOptions(deploymentConfig.store());
            return onCluster.run(plan, cluster, options.parallelism(), resume, console, options.quiet());
        }
        Integer on = servePort(deploymentConfig);
        Switching.Mode switching = onCluster.switching(serving, on);
        return new PublishRun(plan, options.parallelism(), resume, on, switching).run(console, options.quiet());
    }

    /** Returns the port to serve on. The embedded store can only be read in the process that has it open. */
    private @Nullable Integer servePort(DeploymentConfig deploymentConfig) {
        boolean embedded = deploymentConfig.store() instanceof DeploymentConfig.RocksDb;
        return serving.port() == null && (serve || (embedded && !once))
                ? (Integer) deploymentConfig.server().port()
                : serving.port();
    }

    private void requireClusterOptions(DeploymentConfig.Store store) {
        if (store instanceof DeploymentConfig.RocksDb) {
            throw UserError.usage(
                    "store.type must be a store that machines share to be written from a Flink cluster, was rocksdb",
                    "such as store: {type: redis, uri: \"redis://localhost:6379\"}; or leave flink.rest out");
        }
        if (serve || serving.aborts() || serving.port() != null) {
            throw UserError.usage(
                    "--serve, --abort and --port do not go with a Flink cluster", "serve beside it: thalweg serve");
        }
    }
}
