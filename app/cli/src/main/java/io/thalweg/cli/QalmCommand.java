package io.thalweg.cli;

import io.thalweg.runner.UserError;
import picocli.CommandLine.Command;

/** {@code thalweg qalm}: tools for load management. */
@Command(
        name = "qalm",
        description = "Load management: a first rules file.",
        footer = {"", "Example:", "  thalweg qalm prefill --jaeger http://localhost:16686 --service checkout"})
final class QalmCommand implements Runnable {
    @Override
    public void run() {
        throw UserError.usage("name what to do: prefill", "see thalweg qalm --help");
    }
}
