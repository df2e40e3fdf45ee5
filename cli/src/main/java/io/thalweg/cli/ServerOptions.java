package io.thalweg.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of commands that ask a feature server. */
final class ServerOptions {
    static final String DEFAULT_SERVER = "http://127.0.0.1:8080";

    @Option(
            names = "--server",
            paramLabel = "URL",
            description = "Default: the environment's THALWEG_SERVER, else " + DEFAULT_SERVER + ".")
    private @Nullable String server;

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

    /** A client for one view. */
    ServerClient client(String view, Map<String, String> env) {
        return new ServerClient(
                server != null ? server : env.getOrDefault("THALWEG_SERVER", DEFAULT_SERVER),
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
