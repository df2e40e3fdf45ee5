package io.thalweg.cli;

import io.thalweg.cli.sample.ViewProposal;
import io.thalweg.formats.RecordSchemas;
import io.thalweg.model.Definitions;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.ConfiguredLookups;
import io.thalweg.runner.Console;
import io.thalweg.runner.Demo;
import io.thalweg.runner.Events;
import io.thalweg.runner.Invocation;
import io.thalweg.runner.UserError;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg init}: writes a first set of files. */
@Command(
        name = "init",
        description = {
            "Writes a thalweg.yaml, a first view and its test; never overwrites a file.",
            "With --sample, writes a view for the events of a file, with the evidence for each choice as a comment."
        },
        footer = {"", "Examples:", "  thalweg init market", "  thalweg init --sample orders.csv"})
final class InitCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(arity = "0..1", paramLabel = "DIR", description = "Where to. Default: here.")
    private Path folder = Path.of("");

    @Option(
            names = "--sample",
            paramLabel = "FILE",
            description =
                    "Propose a view for the events in FILE: CSV with a header or JSON lines, also gzipped, Parquet or Avro.")
    private @Nullable Path sample;

    InitCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        if (Files.exists(folder)
                && !Files.isDirectory(folder)
                && !folder.toString().isEmpty()) {
            throw UserError.usage(folder + ": it is a file", "name a folder");
        }
        if (sample != null) {
            return propose(sample);
        }
        String command = Invocation.nameFrom(folder);
        write(folder.resolve("thalweg.yaml"), resource("thalweg.yaml"));
        String view = resource("demand.yaml").replace("./thalweg validate examples/", command + " validate views/");
        write(folder.resolve("views").resolve("demand.yaml"), view);
        String test = resource("tests/demand.yaml")
                .replaceFirst("(?m)^# yaml-language-server.*\\R", "")
                .replace("./thalweg test examples/tests", command + " test tests")
                .replace("view: ../demand.yaml", "view: ../views/demand.yaml");
        write(folder.resolve("tests").resolve("demand.yaml"), test);
        console.out().println("next:");
        if (!folder.toString().isEmpty()) {
            console.out().println("  cd " + folder);
        }
        next(command + " validate views/demand.yaml", "after naming your topic and fields there");
        next(command + " test tests", "whether its rows are what you expect");
        next(command + " explain demand", "what it would need");
        next(command + " run demand --input EVENTS.jsonl", "");
        return 0;
    }

    private int propose(Path events) throws IOException {
        ViewProposal.Proposed proposed = ViewProposal.of(events);
        Path file = folder.resolve(proposed.view().name() + ".yaml");
        ViewProposal.Schema schema = proposed.schema();
        if (schema != null) {
            write(folder.resolve(schema.file()), schema.text());
        }
        boolean isNew = write(file, proposed.text());
        String command = Invocation.name();
        console.out().println(proposed.summary());
        if (isNew) {
            judge(file, events);
        }
        console.out().println("next:");
        next(command + " validate " + file, "after a look at its comments");
        next(command + " run " + file + " --input " + events, "its rows");
        return 0;
    }

    private void next(String line, String why) {
        console.out().println("  %-38s  %s".formatted(line, why).stripTrailing());
    }

    /** Reads the sample with the view that was written, so that no proposal fails at the next command without a word. */
    private void judge(Path file, Path events) {
        FeatureView view = Definitions.load(List.of(file), new RecordSchemas(Map.of()))
                .views()
                .get(0);
        Sample counts = new Sample(Events.unit(view, events.toString()));
        ConfiguredLookups none = ConfiguredLookups.of(DeploymentConfig.defaults());
        Events.read(view, none, events.toString(), ViewProposal.EVENTS_MAX, console, counts::add);
        counts.print(console.out());
    }

    /** Writes a file unless it exists; returns whether it did. */
    private boolean write(Path file, String text) throws IOException {
        if (Files.exists(file)) {
            console.out().println(file + " is there already, left as it is");
            return false;
        }
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        Files.writeString(file, text, StandardOpenOption.CREATE_NEW);
        console.out().println("wrote " + file);
        return true;
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = Demo.class.getResourceAsStream("init/" + name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
