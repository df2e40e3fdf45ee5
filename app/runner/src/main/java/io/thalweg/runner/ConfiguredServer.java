package io.thalweg.runner;

import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.qalm.Mode;
import io.thalweg.server.ServerConfig;
import io.thalweg.server.console.ConsoleConfig;
import io.thalweg.server.versions.Switching;
import org.jspecify.annotations.Nullable;

/** The server that {@code thalweg.yaml} describes. */
public final class ConfiguredServer {
    private ConfiguredServer() {}

    /** Checks {@code --port}; null = not given. */
    public static void requirePort(@Nullable Integer port) {
        if (port != null && (port < 0 || port > 65_535)) {
            throw UserError.usage("--port must be 0 to 65535, was " + port, "such as --port 8080; 0 takes a free one");
        }
    }

    /** Returns the configuration of a server that listens on {@code port}, whatever port the file names. */
    static ServerConfig on(int port, DeploymentConfig.Server said, Switching switching) {
        DeploymentConfig.Qalm qalm = said.qalm();
        return ServerConfig.loopback(port)
                .withBind(said.bind(), said.access())
                .withAdminPort(said.adminPort())
                .withConsole(new ConsoleConfig(said.basemap(), said.labels(), "UTC"))
                .withTracing(said.tracing())
                .withSwitching(switching)
                .withReadyMaxAge(
                        said.readyMaxAge() == null ? null : said.readyMaxAge().duration())
                .withQalm(new ServerConfig.Qalm(
                        Mode.valueOf(qalm.mode().name()), qalm.rules(), qalm.control(), qalm.dir()));
    }
}
