package io.thalweg.cli.run;

import io.thalweg.devkit.PythonEnvironment;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.HttpOne;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/**
 * Moto's server in a process of its own, with a bucket in memory: it speaks the protocol of S3, and lets anyone in. Where it cannot be
 * installed, tests that need it are skipped and say so.
 */
record S3Server(Subprocess server, URI uri) implements AutoCloseable {
    static final String BUCKET = "flink";

    private static final String VERSION = "5.2.5";
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final HttpClient HTTP = HttpOne.client();

    /** Starts with an empty bucket. */
    static S3Server start(Path folder) throws IOException, InterruptedException {
        String port = String.valueOf(FreePorts.next());
        String program = bin().resolve("moto_server").toString();
        S3Server started = new S3Server(
                Subprocess.start(folder, Map.of(), List.of(program, "-H", "127.0.0.1", "-p", port)),
                URI.create("http://127.0.0.1:" + port));
        try {
            started.server.awaitLine("Running on", PATIENCE);
            started.send(
                    HttpRequest.newBuilder(started.uri.resolve("/" + BUCKET)).PUT(HttpRequest.BodyPublishers.noBody()));
            return started;
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            started.close();
            throw e;
        }
    }

    private static Path bin() throws IOException {
        try {
            return PythonEnvironment.installed("moto-" + VERSION, "moto[s3,server]==" + VERSION)
                    .bin();
        } catch (IllegalStateException e) {
            String reason = "storage in S3 was not tried: " + e.getMessage();
            System.err.println(reason);
            return Assumptions.abort(reason);
        }
    }

    /** What clients need to reach it, by the names of {@code cluster.sh} and of Amazon's own clients. */
    Map<String, String> environment() {
        return Map.of(
                "S3_ENDPOINT",
                uri.toString(),
                "AWS_ACCESS_KEY_ID",
                "thalweg",
                "AWS_SECRET_ACCESS_KEY",
                "s3cret-of-the-test");
    }

    /** The answer of S3 that lists the objects whose keys begin in this way. */
    String list(String prefix) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(uri.resolve("/" + BUCKET + "?list-type=2&prefix=" + prefix)));
    }

    private String send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new AssertionError(response + ": " + response.body());
        }
        return response.body();
    }

    @Override
    public void close() {
        server.close();
    }
}
