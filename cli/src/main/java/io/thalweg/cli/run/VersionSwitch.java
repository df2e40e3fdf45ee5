package io.thalweg.cli.run;

import io.thalweg.cli.UserError;
import io.thalweg.server.Switching;
import org.jspecify.annotations.Nullable;

/** What {@code --replace} and {@code --abort} ask for where views are served. */
final class VersionSwitch {
    private VersionSwitch() {}

    /**
     * Checks the options.
     *
     * @param port where views are served; null = nowhere
     */
    static Switching.Mode mode(boolean replace, boolean abort, @Nullable Integer port) {
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
