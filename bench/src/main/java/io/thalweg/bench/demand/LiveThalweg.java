package io.thalweg.bench.demand;

import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Ports;
import io.thalweg.bench.suite.Clone;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** {@code ./thalweg run} as anybody starts it, in a process of its own. */
final class LiveThalweg implements AutoCloseable {
    private static final Duration START = Duration.ofMinutes(3);
    private static final String GC_LOG = "gc.log";
    private static final String STORE = "store";

    private final Child process;
    private final int port;
    private final ThalwegServer server;
    private final JobCheckpoints flink;
    private final Path folder;

    private LiveThalweg(Child process, int port, ThalwegServer server, JobCheckpoints flink, Path folder) {
        this.process = process;
        this.port = port;
        this.server = server;
        this.flink = flink;
        this.folder = folder;
    }

    /**
     * Starts it and returns when it serves.
     */
    static LiveThalweg start(TestBed testBed, Load load, int parallelism) throws IOException, InterruptedException {
        int port = Ports.free();
        Path folder = Files.createDirectories(testBed.folder().resolve("thalweg"));
        Files.writeString(folder.resolve("thalweg.yaml"), """
                deployment: bench
                kafka: {default: {bootstrap: "%s"}}
                checkpoints: {dir: checkpoints, every: %s}
                store: {path: %s}
                server: {port: %d}
                """.formatted(
                        testBed.bootstrap(), load.checkpointsEvery(), STORE, port));
        List<String> options = new ArrayList<>(load.javaOptions());
        options.add(GcLog.option(folder.resolve(GC_LOG)));
        String secret = UUID.randomUUID().toString();
        Child process = Child.start(
                "run",
                folder,
                Map.of(
                        "THALWEG_NO_BUILD",
                        "1",
                        "THALWEG_JAVA_OPTS",
                        String.join(" ", options),
                        "THALWEG_REST_SECRET",
                        secret),
                List.of(
                        Clone.launcher().toString(),
                        "run",
                        testBed.folder().resolve("demand.yaml").toString(),
                        "--config",
                        "thalweg.yaml",
                        "--parallelism",
                        String.valueOf(parallelism),
                        "--resume",
                        "none",
                        "--quiet"),
                line -> {});
        try {
            ThalwegServer server = new ThalwegServer(port);
            return new LiveThalweg(process, port, server, await(process, server, folder, secret), folder);
        } catch (InterruptedException | RuntimeException e) {
            process.close();
            throw e;
        }
    }

    /** The server is up before the job is; both are once Flink knows the job. */
    private static JobCheckpoints await(Child process, ThalwegServer server, Path folder, String secret)
            throws InterruptedException {
        AtomicReference<@Nullable JobCheckpoints> flink = new AtomicReference<>();
        process.awaitUp(
                () -> {
                    if (server.isUp()) {
                        JobCheckpoints.find(
                                        folder.resolve(".thalweg/log/thalweg.log"),
                                        secret,
                                        folder.resolve("checkpoints"))
                                .ifPresent(flink::set);
                    }
                    return flink.get() != null;
                },
                START);
        return Objects.requireNonNull(flink.get());
    }

    Child process() {
        return process;
    }

    /** Where it serves HTTP and gRPC. */
    int port() {
        return port;
    }

    ThalwegServer server() {
        return server;
    }

    JobCheckpoints flink() {
        return flink;
    }

    GcLog gcLog() throws IOException {
        return GcLog.read(folder.resolve(GC_LOG));
    }

    /** Where the embedded store keeps its files. */
    Path storeFolder() {
        return folder.resolve(STORE);
    }

    /** Runs a full collection, which the log of pauses shows; nothing where the JDK has no {@code jcmd}. */
    void collect() throws IOException, InterruptedException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        if (!Files.isExecutable(jcmd)) {
            return;
        }
        new ProcessBuilder(jcmd.toString(), String.valueOf(process.pid()), "GC.run")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    /** Has the heap collected whole; returns what is left, in bytes. */
    long liveHeapBytes() throws IOException, InterruptedException {
        collect();
        List<GcLog.Pause> pauses = gcLog().pauses();
        return pauses.isEmpty() ? 0 : pauses.get(pauses.size() - 1).heapAfterBytes();
    }

    @Override
    public void close() {
        process.close();
    }
}
