package io.thalweg.runner;

import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.deployment.ServingLogConfig;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.OfflineSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The folder in which the demo keeps feature logs and the serving log, with what the commands need to read them: definitions and {@code
 * thalweg.yaml}.
 * It belongs to the demo, and each start replaces it, because each city is another one.
 */
record DemoHistory(Path folder) {
    static final Path FOLDER = Path.of(".thalweg", "demo");

    /** Deletes the folder of an earlier run, and creates an empty one. */
    static DemoHistory create(Path folder) throws IOException {
        Folders.deleteQuietly(folder);
        Path views = Files.createDirectories(folder.resolve("views"));
        for (String name : Demo.DEFINITIONS) {
            Files.writeString(views.resolve(name), Demo.definition(name));
        }
        Files.writeString(folder.resolve("thalweg.yaml"), """
                # Made by thalweg demo --offline, for training sets from its feature logs. Paths are relative to the working directory.
                views: [%1$s/views]
                catalogs:
                  default: {folder: %1$s/warehouse}
                server:
                  serving_log: {dir: %1$s/served, sample: 1}
                """.formatted(folder));
        return new DemoHistory(folder);
    }

    DeploymentConfig.Catalog catalog() {
        return new DeploymentConfig.FolderCatalog(folder.resolve("warehouse"));
    }

    DeploymentConfig.Server server(int port) {
        return DeploymentConfig.Server.loopback(port)
                .withServingLog(ServingLogConfig.in(folder.resolve("served")).withSample(1));
    }

    static List<FeatureView> logged(List<FeatureView> views) {
        return views.stream()
                .map(view -> view.withOffline(OfflineSpec.standard(view.qualifiedName())))
                .toList();
    }

    /** The commands that read the logs. */
    List<String> commands() {
        Path config = folder.resolve("thalweg.yaml");
        return List.of(
                "thalweg training-set --config %s --views demand,supply --spine labels.parquet --time ts --out train.parquet"
                        .formatted(config),
                "thalweg skew --config %s --views demand,supply".formatted(config));
    }
}
