package io.thalweg.cli;

import io.thalweg.model.Definitions;
import io.thalweg.model.FeatureView;
import io.thalweg.model.Materialization;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg validate}: checks definitions, and reports what they would make of a sample of events. */
@Command(
        name = "validate",
        description = "Checks definitions; with a sample of events, reports what would be kept, skipped and bad.",
        footer = {
            "",
            "Example:",
            "  thalweg validate examples/demand.yaml --sample examples/rider-events.jsonl",
        })
final class ValidateCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "Definition files, or folders of them.")
    private List<Path> files = List.of();

    @Mixin
    private Config config = new Config();

    @Option(
            names = "--sample",
            paramLabel = "EVENTS",
            description = "Events as the source has them, one per line: a file, also .gz, or - for standard input.")
    private @Nullable String sample;

    ValidateCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Definitions.Loaded loaded = Definitions.load(files);
        List<FeatureView> views = loaded.views();
        ConfiguredLookups lookups = ConfiguredLookups.of(config.views(console).deploymentConfig());
        if ("-".equals(sample) && views.size() > 1) {
            throw UserError.usage(
                    "standard input can be read for one view only, there are " + views.size(), "name one view's file");
        }
        for (FeatureView view : views) {
            console.out()
                    .printf(
                            "%s: valid; entities %s; features %s; source %s%n",
                            view.qualifiedName(),
                            Describe.entities(view),
                            Describe.features(view),
                            Describe.source(view));
            if (sample != null) {
                Sample counts = new Sample();
                Events.read(view, lookups, sample, console, counts::add);
                counts.print(console.out());
            }
        }
        for (Materialization materialization : loaded.materializations()) {
            FeatureView view = materialization.view();
            console.out()
                    .printf(
                            "%s: valid; entities %s; features %s; table %s%n",
                            view.qualifiedName(),
                            Describe.entities(view),
                            Describe.features(view),
                            Describe.table(materialization.table()));
        }
        if (loaded.served().isEmpty()) {
            console.out().println("valid; no views");
        }
        return 0;
    }
}
