package io.thalweg.cli;

import io.thalweg.runner.Console;
import io.thalweg.runner.JobKind;
import io.thalweg.runner.JobStop;
import io.thalweg.runner.UserError;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code thalweg stop}: stops a deployment's job on its Flink cluster with a savepoint, from which the next one resumes. */
@Command(
        name = "stop",
        description =
                "Stops the deployment's job on its Flink cluster, with a savepoint that the next one resumes from.",
        footer = {
            "",
            "Examples:",
            "  thalweg stop",
            "  thalweg stop publish --config thalweg.yaml",
            "  thalweg stop ingest ride_events"
        })
public final class StopCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "JOB",
            description = "Which one: run, by default, publish, or ingest.")
    private JobKind kind = JobKind.RUN;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "SPEC",
            description =
                    "Of ingest: its name, or the file of its definition. With the definition, prints the account.")
    private String spec = "";

    @Mixin
    private final Config config = new Config();

    public StopCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (spec.isEmpty() == (kind == JobKind.INGEST)) {
            throw UserError.usage(
                    "stop ingest needs the name of one, and the other jobs have none",
                    "such as: thalweg stop ingest ride_events");
        }
        JobStop.run(config.views(console), kind, spec, console);
        return 0;
    }
}
