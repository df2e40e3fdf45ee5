package io.thalweg.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.testing.Exposition;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.HttpOne;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code thalweg run} as people start it, in a process of its own that can be killed and started again. */
final class ThalwegProcess implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient HTTP = HttpOne.client();
    private static final int TRIES = 120;
    private static final long TRY_EVERY_MS = 500;

    private final Path folder;
    private final int port = FreePorts.next();
    private @Nullable Subprocess process;

    /** In a folder that gets a {@code thalweg.yaml}; checkpoints every second. */
    ThalwegProcess(Path folder, String bootstrap) throws IOException {
        this(folder, bootstrap, "");
    }

    /** With more lines in its {@code thalweg.yaml}. */
    ThalwegProcess(Path folder, String bootstrap, String deploymentConfig) throws IOException {
        this.folder = folder;
        Files.writeString(folder.resolve("thalweg.yaml"), """
                deployment: test
                kafka: {default: {bootstrap: "%s"}}
                checkpoints: {dir: checkpoints, every: 1s}
                store: {path: store}
                server: {port: %d, admin_port: 0}
                %s
                """.formatted(bootstrap, port, deploymentConfig));
    }

    /** {@code thalweg run views.yaml}. */
    Subprocess start(String... options) {
        List<String> command = Launched.program("-Xmx1g");
        command.add(1, Launched.TEMPORARY_FILES);
        command.addAll(List.of("run", "views.yaml"));
        command.addAll(List.of("--config", "thalweg.yaml", "--quiet"));
        command.addAll(List.of(options));
        process = Subprocess.start(folder, Map.of(), command);
        return process;
    }

    /** kill -9. */
    void kill() {
        Subprocess running = Objects.requireNonNull(process, "not started");
        if (!running.isAlive()) {
            throw new AssertionError("it ended by itself: " + running.stderr());
        }
        running.close();
        running.awaitExit(Duration.ofSeconds(10));
    }

    /** The newest run's account: what it began from, empty for nothing, in its first line. */
    String begunFrom() throws IOException {
        return Files.readAllLines(newestRun().resolve("run.txt")).get(0);
    }

    /** Whole checkpoints of the newest run, newest first. */
    List<Path> checkpoints() throws IOException {
        List<Path> whole = new ArrayList<>();
        for (Path job : list(newestRun())) {
            for (Path checkpoint : Files.isDirectory(job) ? list(job) : List.<Path>of()) {
                if (Files.exists(checkpoint.resolve("_metadata"))) {
                    whole.add(checkpoint);
                }
            }
        }
        whole.sort(Comparator.comparing(ThalwegProcess::number).reversed());
        return whole;
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    private static int number(Path checkpoint) {
        return Integer.parseInt(checkpoint.getFileName().toString().replaceFirst("chk-", ""));
    }

    private Path newestRun() throws IOException {
        return list(folder.resolve("checkpoints/test")).stream()
                .max(Comparator.comparing(run -> run.resolve("run.txt").toFile().lastModified()))
                .orElseThrow();
    }

    /** The view's watermark as readers see it; empty while the server is not there. */
    String watermark(String view) throws IOException, InterruptedException {
        try {
            JsonNode answer =
                    send(HttpRequest.newBuilder(uri("/v1/views/" + view)).build());
            return answer.path("watermark").asText();
        } catch (ConnectException e) {
            return "";
        }
    }

    /** What the server answers to a read. */
    JsonNode read(String view, String request) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(uri("/v1/views/" + view + ":read"))
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(request))
                .build());
    }

    /** Events of a view in its job's account, whatever their outcome, as {@code /metrics} shows them. */
    long events(String view) throws IOException, InterruptedException {
        String metrics = HTTP.send(
                        HttpRequest.newBuilder(uri("/metrics")).build(), HttpResponse.BodyHandlers.ofString())
                .body();
        return (long) Exposition.of(metrics).sum("thalweg_events_total", "view", view);
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    /** Tries a request that load management refuses again, as a client must: on a busy machine it refuses some. */
    private static JsonNode send(HttpRequest request) throws IOException, InterruptedException {
        HttpResponse<String> response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        for (int tries = 1; response.statusCode() == 503 && tries < TRIES; tries++) {
            TimeUnit.MILLISECONDS.sleep(TRY_EVERY_MS);
            response = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
        }
        if (response.statusCode() != 200) {
            throw new AssertionError(request.uri() + " answered " + response.statusCode() + ": " + response.body());
        }
        return JSON.readTree(response.body());
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
            process.awaitExit(Duration.ofSeconds(10));
        }
    }
}
