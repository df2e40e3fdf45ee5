package io.thalweg.cli.run;

import io.thalweg.cli.Config;
import io.thalweg.cli.Console;
import io.thalweg.cli.UserError;
import io.thalweg.cli.ViewFiles;
import io.thalweg.jobs.ingest.IngestPlan;
import io.thalweg.model.Ingest;
import io.thalweg.model.deployment.DeploymentConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg ingest}: raw events into tables. */
@Command(
        name = "ingest",
        description = "Writes raw events of a topic or of files to a table.",
        footer = {
            "",
            "Examples:",
            "  thalweg ingest examples/ride_events.yaml --input rides.bin",
            "  thalweg ingest examples/ride_events.yaml --input 'rides-*.bin' --dry-run",
            "  thalweg ingest ride_events --once"
        })
public final class IngestCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(paramLabel = "SPEC", description = "A file, or a name found in views: of thalweg.yaml.")
    private String spec = "";

    @Mixin
    private final Config config = new Config();

    @Option(
            names = "--input",
            paramLabel = "FILE",
            description = "Read this file instead of the definition's source (* for several). May be repeated.")
    private List<String> inputs = List.of();

    @Option(names = "--once", description = "End when what the topic holds now is written.")
    private boolean once;

    @Option(
            names = "--port",
            paramLabel = "N",
            description = "Of a topic: answer /metrics, /livez and /readyz on this port of this machine.")
    private @Nullable Integer port;

    @Option(names = "--dry-run", description = "Print the table, the first rows and the bad events; write nothing.")
    private boolean dryRun;

    @Option(names = "--max-bad", paramLabel = "SHARE", description = "Fail if more events are bad, such as 1%%.")
    private String maxBad = "100%";

    @Option(
            names = "--parallelism",
            paramLabel = "N",
            description = "Subtasks, 1 to 256; each reads partitions, or whole files.")
    private int parallelism = 1;

    @Option(
            names = "--resume",
            paramLabel = "latest|PATH|none",
            description =
                    "Resume from the latest checkpoint, from a given one (topics only), or start over. Files: only an"
                            + " interrupted run over the same files is resumed.")
    private String resume = "latest";

    @Option(
            names = "--dead-letters",
            paramLabel = "FILE",
            description = "Where bad events are appended to, instead of dead_letters of the definition.")
    private @Nullable Path deadLetters;

    @Option(names = "--quiet", description = "No progress.")
    private boolean quiet;

    public IngestCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Jobs.requireParallelism(parallelism);
        ConfiguredServer.requirePort(port);
        double share = BadShare.parse(maxBad);
        ViewFiles files = config.views(console);
        List<Ingest> ingests = files.ingests(List.of(spec));
        if (ingests.size() != 1) {
            throw UserError.usage(
                    "%s must hold one definition of kind: Ingest, has %d".formatted(spec, ingests.size()),
                    "name the file of one, or its name in views: of thalweg.yaml");
        }
        DeploymentConfig deploymentConfig = files.deploymentConfig();
        if (deploymentConfig.flink() != null) {
            throw UserError.usage(
                    "ingest runs in this process in this version, and thalweg.yaml names a Flink cluster",
                    "leave flink.rest out, or name another file with --config");
        }
        Ingest ingest = ingests.get(0);
        IngestPlan plan = IngestPlan.of(ingest);
        if (inputs.isEmpty() && !dryRun && ingest.input().from() instanceof Ingest.Topic topic) {
            new IngestLive(plan, topic, deploymentConfig, parallelism, resume, once, port, deadLetters)
                    .run(console, quiet);
            return 0;
        }
        requireOptionsOfFiles();
        IngestInput input = IngestInput.of(ingest, inputs);
        if (dryRun) {
            new IngestDryRun(plan, input).run(console, quiet);
            return 0;
        }
        Path letters = deadLetters == null ? Path.of(ingest.deadLetters().file()) : deadLetters;
        new IngestRun(plan, input, deploymentConfig, parallelism, resume, share, letters.toAbsolutePath())
                .run(console, quiet);
        return 0;
    }

    private void requireOptionsOfFiles() {
        if (!resume.equals("latest") && !resume.equals("none")) {
            throw UserError.usage("--resume must be latest or none for files, was " + resume, "latest is the default");
        }
        if (once || port != null) {
            throw UserError.usage(
                    "--once and --port go with a topic only", "files are always read once; leave them out");
        }
    }
}
