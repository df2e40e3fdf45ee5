package io.thalweg.cli;

import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.runner.FileReason;
import io.thalweg.runner.ServerClient;
import io.thalweg.runner.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options with which a command and a server authenticate each other. */
final class ProofOptions {
    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "A file with the token of a caller. Default: the environment's THALWEG_TOKEN, else none.")
    private @Nullable Path tokenFile;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description =
                    "PEM certificates to trust. Default: the environment's THALWEG_CA, else those that Java trusts.")
    private @Nullable Path ca;

    /** Creates a client of the feature port for one view. */
    ServerClient features(String server, String view, Map<String, String> env) {
        return client(ServerClient.Port.FEATURES, server, view, env);
    }

    /** Creates a client of the admin port. */
    ServerClient admin(String server, Map<String, String> env) {
        return client(ServerClient.Port.ADMIN, server, "", env);
    }

    /** Creates a client of the admin port that a deployment configures; empty if it configures none, or any free port. */
    Optional<ServerClient> admin(DeploymentConfig.Server server, Map<String, String> env) {
        Integer port = server.adminPort();
        return port == null || port == 0
                ? Optional.empty()
                : Optional.of(admin("%s://%s:%d".formatted(server.access().scheme(), server.bind(), port), env));
    }

    private ServerClient client(ServerClient.Port port, String server, String view, Map<String, String> env) {
        return new ServerClient(
                port,
                server,
                view,
                tokenFile == null ? env.get("THALWEG_TOKEN") : token(tokenFile),
                ca == null && env.containsKey("THALWEG_CA") ? Path.of(env.get("THALWEG_CA")) : ca);
    }

    private static String token(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw UserError.usage("--token-file: " + FileReason.of(e), "").causedBy(e);
        }
    }
}
