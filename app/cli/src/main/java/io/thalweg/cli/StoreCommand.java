package io.thalweg.cli;

import io.thalweg.runner.UserError;
import picocli.CommandLine.Command;

/** {@code thalweg store}: copies of the embedded store. */
@Command(
        name = "store",
        description = "Backs up the embedded store, and restores it.",
        footer = {"", "Example:", "  thalweg store backup /backups/2026-11-25"})
final class StoreCommand implements Runnable {
    @Override
    public void run() {
        throw UserError.usage("name what to do: backup or restore", "see thalweg store --help");
    }
}
