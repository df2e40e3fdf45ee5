package io.thalweg.jobs.embedded;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What Flink's REST API says about a job of this process: checkpoints, back-pressure, exceptions. Read only.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class EmbeddedRest {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .build();

    private final CompletableFuture<URI> address;
    private final String secret;

    EmbeddedRest(CompletableFuture<URI> address, String secret) {
        this.address = address;
        this.secret = secret;
    }

    /**
     * Reads a resource.
     *
     * @param path of Flink's REST API, such as {@code /jobs/ID/checkpoints}
     * @throws IllegalArgumentException if the path does not begin with one {@code /}: it would name another host
     * @throws IOException if the endpoint is not up (yet), or refuses; the message names the path
     */
    public JsonNode get(String path) throws IOException, InterruptedException {
        if (!path.startsWith("/") || path.startsWith("//")) {
            throw new IllegalArgumentException("path must begin with one '/', such as /jobs, was " + path);
        }
        HttpRequest request = HttpRequest.newBuilder(address().resolve(path))
                .timeout(TIMEOUT)
                .header("authorization", RestGuard.authorization(secret))
                .build();
        HttpResponse<byte[]> response = CLIENT.send(request, HttpResponse.BodyHandlers.ofByteArray());
        if (response.statusCode() != 200) {
            throw new IOException("Flink answered " + response.statusCode() + " for " + path);
        }
        return JSON.readTree(response.body());
    }

    URI address() throws IOException, InterruptedException {
        try {
            return address.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("Flink's REST endpoint is not up", e);
        }
    }
}
