package io.thalweg.cli;

import io.thalweg.runner.Jobs;
import picocli.CommandLine.Option;

/** The options of a job, mixed into the commands that start one. */
final class JobOptions {
    @Option(names = "--parallelism", paramLabel = "N", description = "Subtasks of each operator, 1 to 256.")
    private int parallelism = 1;

    @Option(names = "--quiet", description = "No progress.")
    private boolean quiet;

    /** Checks the options. */
    void require() {
        Jobs.requireParallelism(parallelism);
    }

    int parallelism() {
        return parallelism;
    }

    boolean quiet() {
        return quiet;
    }
}
