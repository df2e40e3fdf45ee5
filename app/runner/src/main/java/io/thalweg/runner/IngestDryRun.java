package io.thalweg.runner;

import io.thalweg.google.bigquery.BigQueryDdl;
import io.thalweg.jobs.ingest.IngestPreview;
import io.thalweg.jobs.ingest.file.IngestFile;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.warehouse.StreamAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Reads files and judges their messages without writing rows. Prints the table and the first rows on the standard output, bad
 * messages and the counts on stderr.
 */
public record IngestDryRun(IngestPlan plan, IngestInput input, DeploymentConfig deploymentConfig) {
    public void run(Console console, boolean quiet) throws IOException {
        console.out().print(table());
        StreamAddress streams = BigQueryTargets.streams(plan.ingest(), deploymentConfig);
        try (IngestPreview preview = new IngestPreview(
                plan, streams, row -> console.out().println(new String(row, StandardCharsets.UTF_8)))) {
            String name = plan.ingest().qualifiedName();
            try (ProgressLine progress = console.progress(quiet)) {
                for (IngestFile file : input.files()) {
                    preview.read(file, () -> progress.show(() -> "%s: %,d events".formatted(name, preview.events())));
                }
            }
            report(console, name, "files=" + input.files().size(), preview);
        }
    }

    static void report(Console console, String name, String read, IngestPreview preview) {
        for (Map.Entry<String, IngestPreview.Bad> bad : preview.bad().entrySet()) {
            console.err()
                    .println("  %s %d, first %s"
                            .formatted(
                                    bad.getKey(),
                                    bad.getValue().count(),
                                    bad.getValue().first()));
        }
        console.err()
                .println("%s: %s events=%d filtered=%d bad=%d kept=%d rows=%d, nothing written"
                        .formatted(
                                name,
                                read,
                                preview.events(),
                                preview.filtered(),
                                preview.badEvents(),
                                preview.kept(),
                                preview.rows()));
    }

    private String table() {
        return plan.ingest().sink() instanceof Ingest.BigQuerySink bigQuery
                ? BigQueryDdl.createTable(bigQuery.table(), plan.table())
                : plan.sinkSchema();
    }
}
