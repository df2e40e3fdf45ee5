package io.thalweg.cli;

import io.thalweg.runner.Console;
import io.thalweg.runner.UserError;
import io.thalweg.store.RocksBackup;
import io.thalweg.store.StoreException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code thalweg store restore}: restores the embedded store from a backup. */
@Command(
        name = "restore",
        description =
                "Makes the embedded store of a backup, which stays as it is. The folder store.path must be empty.",
        footer = {"", "Example:", "  thalweg store restore /backups/2026-11-25"})
final class StoreRestoreCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(paramLabel = "DIR", description = "The folder of the backup.")
    private Path backup = Path.of("");

    @Mixin
    private final Config config = new Config();

    StoreRestoreCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Path store = EmbeddedStore.folder(config.views(console).deploymentConfig());
        try {
            RocksBackup.restore(backup, store, Clock.systemUTC());
        } catch (IllegalArgumentException e) {
            throw UserError.usage(String.valueOf(e.getMessage()), "").causedBy(e);
        } catch (StoreException e) {
            throw UserError.failed(String.valueOf(e.getMessage()), "").causedBy(e);
        }
        console.err().println("restored " + store + " from " + backup);
        return 0;
    }
}
