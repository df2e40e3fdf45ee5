package io.thalweg.cli;

import io.thalweg.runner.UserError;
import picocli.CommandLine.Command;

/** {@code thalweg export}: files that other systems need. */
@Command(
        name = "export",
        description =
                "What other systems need: a feature repository of Feast, or a Terraform module of what ingests need.",
        footer = {
            "",
            "Examples:",
            "  thalweg export feast demand --out feature_repo",
            "  thalweg export terraform ride_events --out terraform"
        })
final class ExportCommand implements Runnable {
    @Override
    public void run() {
        throw UserError.usage("name what to export: feast or terraform", "see thalweg export --help");
    }
}
