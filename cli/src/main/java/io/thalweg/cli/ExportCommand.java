package io.thalweg.cli;

import picocli.CommandLine.Command;

/** {@code thalweg export}: what others need to read Thalweg's features. */
@Command(
        name = "export",
        description = "What others need to read the features: a feature repository of Feast.",
        footer = {"", "Example:", "  thalweg export feast demand --out feature_repo"})
final class ExportCommand implements Runnable {
    @Override
    public void run() {
        throw UserError.usage("name what to export: feast", "see thalweg export --help");
    }
}
