package io.thalweg.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thalweg.formats.RecordSchemas;
import io.thalweg.google.bigquery.BigQueryColumns;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.Definitions;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.problem.DefinitionException;
import io.thalweg.model.problem.Problem;
import io.thalweg.model.table.Materialization;
import io.thalweg.model.view.FeatureView;
import io.thalweg.pipelinetest.PipelineTests;
import io.thalweg.records.registry.RegistryAddress;
import io.thalweg.records.registry.RegistryAwayException;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.runner.ConfiguredLookups;
import io.thalweg.runner.Console;
import io.thalweg.runner.Describe;
import io.thalweg.runner.Events;
import io.thalweg.runner.IngestSample;
import io.thalweg.runner.ProgressLine;
import io.thalweg.runner.Registries;
import io.thalweg.runner.UserError;
import io.thalweg.runner.ViewFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
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

    @Option(names = "--json", description = "Print the definitions and their problems as JSON.")
    private boolean json;

    @Option(names = "--quiet", description = "No progress.")
    private boolean quiet;

    private final ArrayNode definitions = DefinitionJson.list();
    private final ArrayNode problems = DefinitionJson.list();

    ValidateCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        if (!json) {
            return validate();
        }
        if (sample != null) {
            throw UserError.usage("--json does not go with --sample", "leave one out");
        }
        int code = validate();
        ObjectNode answer = DefinitionJson.object().put("valid", problems.isEmpty());
        answer.set("definitions", definitions);
        answer.set("problems", problems);
        DefinitionJson.print(answer, console);
        return code;
    }

    /** Reports a definition without problems. */
    private void valid(ObjectNode definition, String text) {
        if (json) {
            definitions.add(definition);
        } else {
            console.out().println(text);
        }
    }

    /** Reports a problem; returns the exit code. */
    private int problem(Exception e) {
        if (!json) {
            return new Errors(console).report(e);
        }
        if (e instanceof DefinitionException definition) {
            definition.problems().forEach(problem -> problems.add(DefinitionJson.problem(problem)));
        } else {
            problems.addObject().put("message", e.getMessage());
        }
        return e instanceof RegistryAwayException ? UserError.FAILED : UserError.USAGE;
    }

    private int validate() throws IOException {
        ViewFiles viewFiles = config.views(console);
        DeploymentConfig deploymentConfig = viewFiles.deploymentConfig();
        Map<String, RegistryAddress> registries = Registries.of(deploymentConfig);
        Definitions.Tried tried = Definitions.tried(files, new RecordSchemas(registries));
        Definitions.Loaded loaded = tried.sound();
        if (!tried.problems().isEmpty()) {
            return reportAll(tried, registries, viewFiles);
        }
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
            valid(
                    DefinitionJson.view(view),
                    "%s: valid; entities %s; features %s; source %s"
                            .formatted(
                                    view.qualifiedName(),
                                    Describe.entities(view),
                                    Describe.features(view),
                                    Describe.source(view)));
            if (sample != null) {
                Sample counts = new Sample(Events.unit(view, sample));
                try (ProgressLine progress = console.progress(quiet)) {
                    Events.read(view, lookups, sample, console, verdict -> {
                        counts.add(verdict);
                        progress.show(() -> "%,d events".formatted(counts.events()));
                    });
                }
                counts.print(console.out());
                allBad |= counts.isAllBad();
            }
        }
        for (Materialization materialization : loaded.materializations()) {
            FeatureView view = materialization.view();
            valid(
                    DefinitionJson.view(view),
                    "%s: valid; entities %s; features %s; table %s"
                            .formatted(
                                    view.qualifiedName(),
                                    Describe.entities(view),
                                    Describe.features(view),
                                    Describe.table(materialization.table())));
        }
        // Each is checked, so that one run reports the problems of all.
        int code = 0;
        for (Ingest ingest : loaded.ingests()) {
            try {
                allBad |= validate(ingest, IngestPlan.of(ingest, registries), deploymentConfig);
            } catch (SchemaException | RegistryAwayException e) {
                code = problem(e);
            }
        }
        try {
            List<String> tests = PipelineTests.describe(loaded, viewFiles);
            if (!json) {
                tests.forEach(console.out()::println);
            }
            if (!json && loaded.served().isEmpty() && loaded.ingests().isEmpty() && tests.isEmpty()) {
                console.out().println("valid; no views");
            }
        } catch (DefinitionException e) {
            code = problem(e);
        }
        return code == 0 && allBad ? UserError.FAILED : code;
    }

    /**
     * Reports the problems of definitions, and those that the other definitions have with their schemas and with each other. Tests
     * of definitions that have problems are not checked.
     */
    private int reportAll(Definitions.Tried tried, Map<String, RegistryAddress> registries, ViewFiles viewFiles) {
        int code = problem(new DefinitionException(tried.problems()));
        Definitions.Loaded sound = tried.sound();
        for (Ingest ingest : sound.ingests()) {
            try {
                requireColumns(ingest, IngestPlan.of(ingest, registries));
            } catch (SchemaException | RegistryAwayException e) {
                var unused = problem(e);
            }
        }
        try {
            var unused = PipelineTests.describe(sound.withTestsOfItsOwn(), viewFiles);
        } catch (DefinitionException e) {
            List<Problem> ofTests = e.problems().stream()
                    .filter(problem -> !tried.problems().contains(problem))
                    .toList();
            if (!ofTests.isEmpty()) {
                var unused = problem(new DefinitionException(ofTests));
            }
        }
        return code;
    }

    /**
     * Checks the names of columns where the sink matters.
     *
     * @throws SchemaException if the sink cannot have them
     */
    private static void requireColumns(Ingest ingest, IngestPlan plan) {
        if (ingest.sink() instanceof Ingest.BigQuerySink) {
            try {
                BigQueryColumns.check(plan.table());
            } catch (SchemaException e) {
                throw new SchemaException(ingest.qualifiedName() + ": fields: " + e.getMessage(), e);
            }
        }
    }

    /** Prints what an ingest defines; returns whether all events of the sample are bad. */
    private boolean validate(Ingest ingest, IngestPlan plan, DeploymentConfig deploymentConfig) throws IOException {
        requireColumns(ingest, plan);
        ObjectNode definition = DefinitionJson.ingest(ingest);
        plan.table().names().forEach(definition.putArray("columns")::add);
        valid(
                definition,
                "%s: valid; columns %s%s; %s messages of %s; %s%s"
                        .formatted(
                                ingest.qualifiedName(),
                                String.join(", ", plan.table().names()),
                                ingest.transform() == null
                                        ? ""
                                        : " by function " + ingest.transform().className(),
                                ingest.input().format().text(),
                                ingest.input().from().text(),
                                ingest.sink() instanceof Ingest.TopicSink ? "to " : "table ",
                                ingest.sink().text()));
        if (json) {
            return false;
        }
        if (ingest.sink() instanceof Ingest.ParquetSink || ingest.sink() instanceof Ingest.IcebergSink) {
            twins(plan.table(), "").forEach(console.out()::println);
        }
        return sample != null
                && new IngestSample(Events.readable(sample).toString()).judge(plan, deploymentConfig, console);
    }

    /** Warns of columns that engines which ignore case, such as Hive, Spark and Trino, cannot tell apart. */
    private static List<String> twins(FieldType type, String prefix) {
        List<String> warnings = new ArrayList<>();
        if (type instanceof FieldType.ListOf list) {
            return twins(list.element(), prefix);
        }
        if (type instanceof FieldType.MapOf map) {
            return twins(map.value(), prefix);
        }
        if (type instanceof Struct struct) {
            Map<String, String> seen = new HashMap<>();
            for (Field field : struct.fields()) {
                String path = prefix + field.name();
                String twin = seen.put(field.name().toLowerCase(Locale.ROOT), path);
                if (twin != null) {
                    warnings.add(
                            "  warning: '%s' and '%s' differ only by case, which Hive, Spark and Trino ignore; rename one with 'fields'"
                                    .formatted(twin, path));
                }
                warnings.addAll(twins(field.type(), path + "."));
            }
        }
        return warnings;
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
