package io.thalweg.bench.serve;

import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Ports;
import io.thalweg.devkit.FeastEnvironment;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** {@code feast serve} in front of a feature repository: a process that listens, and its workers. */
record FeastServer(Child process, int port) implements AutoCloseable {
    private static final Duration START = Duration.ofMinutes(2);

    /** Starts one; its workers are not restarted every thousand requests, as they are by default. */
    static FeastServer start(FeastEnvironment feast, Path repository, int workers)
            throws IOException, InterruptedException {
        int port = Ports.free();
        List<String> command = List.of(
                feast.bin().resolve("feast").toString(),
                "serve",
                "--port",
                String.valueOf(port),
                "--workers",
                String.valueOf(workers),
                "--max-requests",
                "0",
                "--no-access-log");
        FeastServer server = new FeastServer(
                Child.start("feast", repository, FeastEnvironment.VARIABLES, command, line -> {}), port);
        HttpClient http = HttpClient.newHttpClient();
        HttpRequest health = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/health"))
                .build();
        try {
            server.process.await(
                    "answer",
                    START,
                    () -> http.send(health, HttpResponse.BodyHandlers.discarding())
                                    .statusCode()
                            == 200);
            return server;
        } catch (RuntimeException | InterruptedException e) {
            server.close();
            throw e;
        }
    }

    /** Of all its processes, so far. */
    Duration processorTime() {
        return processes()
                .flatMap(each -> each.info().totalCpuDuration().stream())
                .reduce(Duration.ZERO, Duration::plus);
    }

    private Stream<ProcessHandle> processes() {
        return ProcessHandle.of(process.pid()).stream()
                .flatMap(each -> Stream.concat(Stream.of(each), each.descendants()));
    }

    @Override
    public void close() {
        List<ProcessHandle> all = processes().toList();
        process.close();
        all.forEach(ProcessHandle::destroyForcibly);
    }
}
