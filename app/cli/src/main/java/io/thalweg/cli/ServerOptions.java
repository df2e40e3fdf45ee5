package io.thalweg.cli;

import io.thalweg.runner.ServerClient;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of commands that send requests to a feature server. */
final class ServerOptions {

    /** The admin port of the demo. */
    static final String DEFAULT_ADMIN = "http://127.0.0.1:8081";

    @Option(
            names = "--server",
            paramLabel = "URL",
            description = "Default: the environment's THALWEG_SERVER, else " + ServerClient.DEFAULT_SERVER + ".")
    private @Nullable String server;

    @Mixin
    private final ProofOptions proof = new ProofOptions();

    /** Creates a client for one view. */
    ServerClient client(String view, Map<String, String> env) {
        return proof.features(
                server != null ? server : env.getOrDefault("THALWEG_SERVER", ServerClient.DEFAULT_SERVER), view, env);
    }
}
