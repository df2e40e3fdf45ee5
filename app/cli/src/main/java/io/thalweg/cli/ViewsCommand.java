package io.thalweg.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.Console;
import io.thalweg.runner.Describe;
import io.thalweg.runner.TextTable;
import io.thalweg.runner.UserError;
import io.thalweg.runner.ViewFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg views}: lists the views. */
@Command(
        name = "views",
        description = "Lists the views and ingests of the folders that thalweg.yaml names, or of the files given.",
        footer = {"", "Example:", "  thalweg views examples/"})
final class ViewsCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private Config config = new Config();

    @Parameters(arity = "0..*", paramLabel = "VIEW", description = "Files, folders or names.")
    private List<String> arguments = List.of();

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    ViewsCommand(Console console) {
        this.console = console;
    }

    /** Returns the ingests of files and folders; a plain name is that of a view. */
    private List<Ingest> ingests(ViewFiles files) {
        return files.ingests(arguments.stream()
                .filter(argument -> Files.exists(Path.of(argument)))
                .toList());
    }

    @Override
    public Integer call() {
        ViewFiles files = config.views(console);
        if (arguments.isEmpty() && files.deploymentConfig().views().isEmpty()) {
            throw UserError.usage(
                    "no folder of views is known", "name files, or list folders under views: in thalweg.yaml");
        }
        List<FeatureView> views = arguments.isEmpty() ? files.allServed() : files.served(arguments);
        List<Ingest> ingests = arguments.isEmpty() ? files.allIngests() : ingests(files);
        if (json) {
            ObjectNode answer = DefinitionJson.object();
            answer.putArray("views")
                    .addAll(views.stream().map(DefinitionJson::view).toList());
            answer.putArray("ingests")
                    .addAll(ingests.stream().map(DefinitionJson::ingest).toList());
            DefinitionJson.print(answer, console);
        } else {
            print(views, ingests);
        }
        return 0;
    }

    private void print(List<FeatureView> views, List<Ingest> ingests) {
        TextTable table = new TextTable(6, List.of("NAME", "VERSION", "ENTITIES", "FEATURES", "SOURCE", "ROWS TO"));
        for (FeatureView view : views) {
            table.add(List.of(
                    view.qualifiedName(),
                    String.valueOf(view.version()),
                    Describe.entities(view),
                    Describe.features(view),
                    Describe.source(view),
                    Describe.sink(view)));
        }
        for (Ingest ingest : ingests) {
            table.add(List.of(
                    ingest.qualifiedName(),
                    String.valueOf(ingest.version()),
                    "-",
                    "-",
                    ingest.input().format().text() + " from "
                            + ingest.input().from().text(),
                    ingest.sink().text()));
        }
        table.print(console.out(), "");
    }
}
