package io.thalweg.cli;

import io.thalweg.cli.run.IngestSample;
import io.thalweg.cli.test.PipelineTests;
import io.thalweg.formats.RecordSchemas;
import io.thalweg.jobs.ingest.IngestPlan;
import io.thalweg.model.Definitions;
import io.thalweg.model.FeatureView;
import io.thalweg.model.Ingest;
import io.thalweg.model.Materialization;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.problem.DefinitionException;
import io.thalweg.records.registry.RegistryAddress;
import io.thalweg.records.registry.RegistryAwayException;
import io.thalweg.records.schema.SchemaException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg validate}: checks definitions, and reports how they would process a sample of events. */
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

    @Option(
            names = "--write-schema",
            paramLabel = "FILE",
            description = "For an ingest of JSON: infer a JSON Schema from the sample, and write it to this new file.")
    private @Nullable Path writeSchema;

    ValidateCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        ViewFiles viewFiles = config.views(console);
        DeploymentConfig deploymentConfig = viewFiles.deploymentConfig();
        Map<String, RegistryAddress> registries = Registries.of(deploymentConfig);
        Definitions.Loaded loaded = Definitions.load(files, new RecordSchemas(registries));
        List<FeatureView> views = loaded.views();
        if (writeSchema != null) {
            writeSchema(loaded.ingests(), writeSchema);
        }
        ConfiguredLookups lookups = ConfiguredLookups.of(deploymentConfig);
        if ("-".equals(sample) && views.size() > 1) {
            throw UserError.usage(
                    "standard input can be read for one view only, there are " + views.size(), "name one view's file");
        }
        boolean allBad = false;
        for (FeatureView view : views) {
            console.out()
                    .printf(
                            "%s: valid; entities %s; features %s; source %s%n",
                            view.qualifiedName(),
                            Describe.entities(view),
                            Describe.features(view),
                            Describe.source(view));
            if (sample != null) {
                Sample counts = new Sample(Events.unit(view, sample));
                Events.read(view, lookups, sample, console, counts::add);
                counts.print(console.out());
                allBad |= counts.isAllBad();
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
        // Each is checked, so that one run reports the problems of all.
        int code = 0;
        for (Ingest ingest : loaded.ingests()) {
            try {
                allBad |= validate(ingest, IngestPlan.of(ingest, registries), deploymentConfig);
            } catch (SchemaException | RegistryAwayException e) {
                code = new Errors(console).report(e);
            }
        }
        try {
            List<String> tests = PipelineTests.describe(loaded, viewFiles);
            tests.forEach(console.out()::println);
            if (loaded.served().isEmpty() && loaded.ingests().isEmpty() && tests.isEmpty()) {
                console.out().println("valid; no views");
            }
        } catch (DefinitionException e) {
            code = new Errors(console).report(e);
        }
        return code == 0 && allBad ? UserError.FAILED : code;
    }

    /** Prints what an ingest defines; returns whether all events of the sample are bad. */
    private boolean validate(Ingest ingest, IngestPlan plan, DeploymentConfig deploymentConfig) throws IOException {
        console.out()
                .printf(
                        "%s: valid; columns %s%s; %s messages of %s; %s%s%n",
                        ingest.qualifiedName(),
                        String.join(", ", plan.table().names()),
                        ingest.transform() == null
                                ? ""
                                : " by function " + ingest.transform().className(),
                        ingest.input().format().text(),
                        ingest.input().from().text(),
                        ingest.sink() instanceof Ingest.TopicSink ? "to " : "table ",
                        ingest.sink().text());
        return sample != null
                && new IngestSample(Events.readable(sample).toString()).judge(plan, deploymentConfig, console);
    }

    private void writeSchema(List<Ingest> ingests, Path to) throws IOException {
        if (sample == null || ingests.size() != 1) {
            throw UserError.usage(
                    "--write-schema needs --sample and one ingest, there are " + ingests.size(),
                    "such as: thalweg validate rides.yaml --sample rides.jsonl --write-schema rides.json");
        }
        new IngestSample(Events.readable(sample).toString()).writeSchema(ingests.get(0), to, console);
    }
}
