package io.thalweg.cli;

import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.Console;
import io.thalweg.runner.StoreServing;
import io.thalweg.runner.UserError;
import io.thalweg.runner.ViewFiles;
import java.util.List;
import java.util.concurrent.Callable;
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

    @Option(
            names = "--replace",
            description = "Switch reads of a name to the newest version of its view once that has caught up.")
    private boolean replace;

    @Mixin
    private final ServingOptions serving = new ServingOptions();

    public ServeCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws InterruptedException {
        serving.require();
        ViewFiles files = config.views(console);
        List<FeatureView> loaded = views.isEmpty() ? files.allServed() : files.served(views);
        if (loaded.isEmpty()) {
            throw UserError.usage(
                    "there is no view to serve", "name its file, or list its folder under views: in thalweg.yaml");
        }
        DeploymentConfig deploymentConfig = files.deploymentConfig();
        int on = serving.port() == null ? deploymentConfig.server().port() : serving.port();
        new StoreServing(loaded, deploymentConfig, serving.port(), serving.mode(replace, on), console).run();
        return 0;
    }
}
