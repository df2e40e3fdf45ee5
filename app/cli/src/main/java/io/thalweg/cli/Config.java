package io.thalweg.cli;

import io.thalweg.runner.Console;
import io.thalweg.runner.ViewFiles;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --config}, mixed into the commands that read {@code thalweg.yaml}. */
public final class Config {
    @Option(
            names = "--config",
            paramLabel = "FILE",
            description =
                    "The deployment configuration: addresses, folders, ports. Default: ./thalweg.yaml if it is there.")
    private @Nullable Path file;

    /** Reads the file; see {@link ViewFiles#of}. */
    public ViewFiles views(Console console) {
        return ViewFiles.of(file, console.env());
    }

    /** The path as given; null = the file in the working directory, if it exists. */
    @Nullable
    Path file() {
        return file;
    }
}
