package io.thalweg.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.runner.Console;
import io.thalweg.runner.UserError;
import io.thalweg.store.RocksDbOnlineStore;
import io.thalweg.store.StoreException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg store backup}: copies the embedded store, directly or through the process that has it open. */
@Command(
        name = "backup",
        description = "Copies the embedded store, as it is at one moment, into a new folder.",
        footer = {
            "",
            "Examples:",
            "  thalweg store backup /backups/2026-11-25                             no process uses the store",
            "  thalweg store backup 2026-11-25 --admin http://127.0.0.1:8090       the process with this admin port does"
        })
final class StoreBackupCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(
            paramLabel = "DIR",
            description = "The new folder; with --admin its name, below the folder FOLDER-backups beside the store.")
    private String target = "";

    @Mixin
    private final Config config = new Config();

    @Option(
            names = "--admin",
            paramLabel = "URL",
            description = "The admin port of the process that has the store open.")
    private @Nullable String admin;

    @Mixin
    private final ProofOptions proof = new ProofOptions();

    StoreBackupCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        console.out().println(admin == null ? backUp(Path.of(target)) : backUpRunning(admin));
        return 0;
    }

    private String backUp(Path folder) {
        Path path = EmbeddedStore.folder(config.views(console).deploymentConfig());
        if (!Files.exists(path)) {
            throw UserError.usage(
                    "there is no store in store.path '" + path + "'", "--config names another thalweg.yaml");
        }
        try (RocksDbOnlineStore store = RocksDbOnlineStore.open(path, Clock.systemUTC())) {
            store.backupTo(folder);
            return folder.toAbsolutePath().toString();
        } catch (IllegalArgumentException e) {
            throw UserError.usage(String.valueOf(e.getMessage()), "").causedBy(e);
        } catch (StoreException e) {
            throw UserError.failed(
                            String.valueOf(e.getMessage()),
                            "if a running process uses it, name that process's admin port with --admin")
                    .causedBy(e);
        }
    }

    private String backUpRunning(String address) {
        Map<String, String> env = console.env();
        JsonNode answer = proof.admin(address, env).backup(target, env.getOrDefault("USER", "thalweg store backup"));
        return answer.path("folder").asText();
    }
}
