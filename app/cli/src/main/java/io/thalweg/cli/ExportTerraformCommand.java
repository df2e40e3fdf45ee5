package io.thalweg.cli;

import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.runner.Console;
import io.thalweg.runner.Registries;
import io.thalweg.runner.TerraformModule;
import io.thalweg.runner.UserError;
import io.thalweg.runner.ViewFiles;
import java.io.IOException;
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

/** {@code thalweg export terraform}: a module that creates the resources of ingests. */
@Command(
        name = "terraform",
        description =
                "Writes main.tf and variables.tf: a module that creates the topics, datasets and tables of ingests."
                        + " Overwrites those of an earlier export.",
        footer = {"", "Example:", "  thalweg export terraform examples/ride_events_bigquery.yaml --out terraform"})
final class ExportTerraformCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private Config config = new Config();

    @Parameters(
            arity = "0..*",
            paramLabel = "SPEC",
            description = "Files, folders or names. Default: all ingests in the views: folders.")
    private List<String> arguments = List.of();

    @Option(names = "--out", paramLabel = "DIR", required = true, description = "Where to; made if it is not there.")
    private @Nullable Path out;

    ExportTerraformCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        ViewFiles files = config.views(console);
        List<Ingest> ingests = arguments.isEmpty() ? files.allIngests() : files.ingests(arguments);
        if (ingests.isEmpty()) {
            throw UserError.usage(
                    "there is no definition of kind: Ingest", "name a file of one, or list its folder under views:");
        }
        TerraformModule module = new TerraformModule();
        ingests.forEach(ingest -> module.add(IngestPlan.of(ingest, Registries.of(files.deploymentConfig()))));
        Path folder = Objects.requireNonNull(out);
        Files.createDirectories(folder);
        write(folder.resolve("main.tf"), module.main());
        write(folder.resolve("variables.tf"), module.variables());
        return 0;
    }

    private void write(Path file, String text) throws IOException {
        Files.writeString(file, text);
        console.out().println("wrote " + file);
    }
}
