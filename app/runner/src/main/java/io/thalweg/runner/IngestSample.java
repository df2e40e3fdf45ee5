package io.thalweg.runner;

import io.thalweg.formats.LineReader;
import io.thalweg.jobs.ingest.IngestPreview;
import io.thalweg.jobs.ingest.file.IngestFile;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.records.json.JsonSchemaInference;
import io.thalweg.warehouse.StreamAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A sample of an ingest's messages, in a file.
 *
 * @param file as on the command line
 */
public record IngestSample(String file) {
    /**
     * Prints how many of the messages would be kept, dropped and bad, with the first bad one of each reason; returns whether there
     * are messages and all of them are bad.
     */
    public boolean judge(IngestPlan plan, DeploymentConfig deploymentConfig, Console console) throws IOException {
        StreamAddress streams = BigQueryTargets.streams(plan.ingest(), deploymentConfig);
        try (IngestPreview preview = new IngestPreview(plan, streams, row -> {})) {
            for (IngestFile each : IngestInput.of(plan.ingest(), List.of(file)).files()) {
                preview.read(each, () -> {});
            }
            report(preview, plan.ingest().transform() != null, console);
            return preview.events() > 0 && preview.badEvents() == preview.events();
        }
    }

    private static void report(IngestPreview preview, boolean byFunction, Console console) {
        console.out()
                .println("  events %d = kept %d + filtered %d + bad %d"
                        .formatted(preview.events(), preview.kept(), preview.filtered(), preview.badEvents()));
        if (byFunction) {
            console.out().println("  rows %d".formatted(preview.rows()));
        }
        for (Map.Entry<String, IngestPreview.Bad> bad : preview.bad().entrySet()) {
            console.out()
                    .println("    %s %d, first %s"
                            .formatted(
                                    bad.getKey(),
                                    bad.getValue().count(),
                                    bad.getValue().first()));
        }
    }

    /**
     * Infers a JSON Schema from the lines of the file and writes it.
     *
     * @param to a file that does not exist yet
     * @throws UserError if the messages are not JSON, or the file exists
     */
    public void writeSchema(Ingest ingest, Path to, Console console) throws IOException {
        if (ingest.input().format() != Ingest.Format.JSON) {
            throw UserError.usage(
                    "--write-schema infers a JSON Schema, but source.format of " + ingest.qualifiedName() + " is "
                            + ingest.input().format().text(),
                    "its schema comes with the format");
        }
        if (Files.exists(to)) {
            throw UserError.usage("--write-schema " + to + " exists", "name a new file, and compare the two");
        }
        Path sample = InputFiles.expandAll(List.of(file)).get(0);
        JsonSchemaInference inference = new JsonSchemaInference();
        try (LineReader lines = LineReader.of(
                Files.newInputStream(sample),
                sample.toString(),
                ingest.input().limits().message())) {
            while (lines.next()) {
                String document = new String(lines.bytes(), lines.offset(), lines.length(), StandardCharsets.UTF_8);
                inference.add(document, "line " + lines.lineNumber());
            }
        }
        JsonSchemaInference.Inferred inferred = inference.infer();
        Files.writeString(to, inferred.schema());
        console.out().println("wrote " + to + ": check it before events are kept by it");
        inferred.conflicts().forEach(conflict -> console.out().println("  left out: " + conflict));
    }
}
