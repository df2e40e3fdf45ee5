package io.thalweg.cli;

import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.Console;
import io.thalweg.runner.FeastRepository;
import io.thalweg.runner.UserError;
import io.thalweg.runner.ViewFiles;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg export feast}: a feature repository with which Feast's clients read the features that Thalweg writes. */
@Command(
        name = "feast",
        description = {
            "Writes feature_store.yaml and feature_definitions.py, in place of those that were made before, for views whose",
            "online.layout is feast-scalars or feast-array. Then: cd DIR && feast apply"
        },
        footer = {"", "Example:", "  thalweg export feast demand driver_stats --out feature_repo"})
final class ExportFeastCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private Config config = new Config();

    @Parameters(
            arity = "0..*",
            paramLabel = "VIEW",
            description = "Files, folders or names. Default: all views of Feast's layouts in the views: folders.")
    private List<String> arguments = List.of();

    @Option(names = "--out", paramLabel = "DIR", required = true, description = "Where to; made if it is not there.")
    private @Nullable Path out;

    @Option(names = "--cluster", description = "The Redis of store.uri is one of a Redis Cluster.")
    private boolean cluster;

    @Option(
            names = "--server",
            paramLabel = "URL",
            description = "Thalweg's server, for Feast to ask it rather than Redis: then any store and layout will do.")
    private @Nullable URI server;

    ExportFeastCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        FeastRepository repository = repository(config.views(console));
        String definitions = repository.definitions();
        Path folder = Objects.requireNonNull(out);
        Files.createDirectories(folder);
        write(folder.resolve("feature_store.yaml"), repository.store());
        write(folder.resolve("feature_definitions.py"), definitions);
        return 0;
    }

    private FeastRepository repository(ViewFiles files) {
        DeploymentConfig.Store store = files.deploymentConfig().store();
        List<FeatureView> views = arguments.isEmpty() ? files.allServed() : files.served(arguments);
        if (server != null) {
            return FeastRepository.ofServer(
                    views, store instanceof DeploymentConfig.Redis redis ? redis.project() : "thalweg", server);
        }
        List<FeatureView> read = arguments.isEmpty() ? readable(views) : views;
        if (read.isEmpty()) {
            throw UserError.usage(
                    "no view has one of Feast's layouts", "say online: {layout: feast-scalars} in a view's definition");
        }
        if (!(store instanceof DeploymentConfig.Redis redis)) {
            throw UserError.usage(
                    "store.type must be redis for Feast to read it, was " + store.type(),
                    "such as store: {type: redis, uri: \"redis://localhost:6379\", project: market} in thalweg.yaml;"
                            + " or let Feast ask Thalweg's server: --server URL");
        }
        if (redis.server().isBySentinel()) {
            throw UserError.usage(
                    "store.uri must be that of a Redis server or cluster for Feast to read it, was one of Redis Sentinel",
                    "let Feast ask Thalweg's server: --server URL");
        }
        return FeastRepository.ofRedis(read, redis, cluster);
    }

    private static List<FeatureView> readable(List<FeatureView> views) {
        return views.stream().filter(view -> view.online().layout().isFeast()).toList();
    }

    private void write(Path file, String text) throws IOException {
        Files.writeString(file, text);
        console.out().println("wrote " + file);
    }
}
