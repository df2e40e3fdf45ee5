package io.thalweg.cli;

import io.thalweg.runner.UserError;
import io.thalweg.server.versions.Switching;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The effect of {@code --replace} and {@code --abort} if views are served; mixed into the commands that serve them. */
final class VersionSwitch {
    @Option(names = "--abort", description = "Serve the version of a view that was served before the newest one again.")
    private boolean abort;

    boolean aborts() {
        return abort;
    }

    /**
     * Checks the options.
     *
     * @param port where views are served; null = nowhere
     */
    Switching.Mode mode(boolean replace, @Nullable Integer port) {
        if (replace && abort) {
            throw UserError.usage(
                    "--replace and --abort exclude each other", "--abort goes back to the version before");
        }
        if ((replace || abort) && port == null) {
            throw UserError.usage(
                    "--replace and --abort switch what is served, and this process does not serve",
                    "add --serve, or give them to thalweg serve");
        }
        return replace ? Switching.Mode.REPLACE : abort ? Switching.Mode.ABORT : Switching.Mode.KEEP;
    }
}
