package io.thalweg.cli;

import io.thalweg.runner.ConfiguredServer;
import io.thalweg.runner.UserError;
import io.thalweg.server.versions.Switching;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where views are served, and which version of them; mixed into the commands that serve. */
final class ServingOptions {
    @Option(names = "--port", paramLabel = "N", description = "Serve on this port instead of server.port.")
    private @Nullable Integer port;

    @Option(names = "--abort", description = "Serve the version of a view that was served before the newest one again.")
    private boolean abort;

    /** The port that is given; null = none. */
    @Nullable
    Integer port() {
        return port;
    }

    /** Checks the port. */
    void require() {
        ConfiguredServer.requirePort(port);
    }

    boolean aborts() {
        return abort;
    }

    /**
     * Returns the effect of {@code --replace} and {@code --abort}.
     *
     * @param on where views are served; null = nowhere
     */
    Switching.Mode mode(boolean replace, @Nullable Integer on) {
        if (replace && abort) {
            throw UserError.usage(
                    "--replace and --abort exclude each other", "--abort goes back to the version before");
        }
        if ((replace || abort) && on == null) {
            throw UserError.usage(
                    "--replace and --abort switch what is served, and this process does not serve",
                    "add --serve, or give them to thalweg serve");
        }
        return replace ? Switching.Mode.REPLACE : abort ? Switching.Mode.ABORT : Switching.Mode.KEEP;
    }
}
