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
public final class LiveThalweg implements AutoCloseable {
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

    /** Starts the demand view from the beginning, with nothing kept; returns when it serves. */
    static LiveThalweg start(TestBed testBed, Load load, int parallelism) throws IOException, InterruptedException {
        return start(
                testBed.folder().resolve("thalweg"),
                testBed.bootstrap(),
                load.checkpointsEvery(),
                load.javaOptions(),
                List.of(
                        testBed.folder().resolve("demand.yaml").toString(),
                        "--parallelism",
                        String.valueOf(parallelism),
                        "--resume",
                        "none"));
    }

    /**
     * Starts it and returns when it serves and its job is known.
     *
     * @param folder of its files; what an earlier process has left there is resumed
     * @param every how often it takes checkpoints
     * @param javaOptions beside those of the launcher
     * @param arguments of {@code run}: views and options
     */
    public static LiveThalweg start(
            Path folder, String bootstrap, String every, List<String> javaOptions, List<String> arguments)
            throws IOException, InterruptedException {
        int port = Ports.free();
        Files.createDirectories(folder);
        Files.writeString(folder.resolve("thalweg.yaml"), """
                deployment: bench
                kafka: {default: {bootstrap: "%s"}}
                checkpoints: {dir: checkpoints, every: %s}
                store: {path: %s}
                server: {port: %d}
                """.formatted(bootstrap, every, STORE, port));
        List<String> options = new ArrayList<>(javaOptions);
        options.add(GcLog.option(folder.resolve(GC_LOG)));
        List<String> command = new ArrayList<>(List.of(Clone.launcher().toString(), "run"));
        command.addAll(arguments);
        command.addAll(List.of("--config", "thalweg.yaml", "--quiet"));
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
                command,
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

    /** The process. */
    public Child process() {
        return process;
    }

    /** Where it serves HTTP and gRPC. */
    int port() {
        return port;
    }

    /** What it reports on its port. */
    public ThalwegServer server() {
        return server;
    }

    /** What Flink reports of its job. */
    public JobCheckpoints flink() {
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
