package io.thalweg.bench.demand;

import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Clone;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * {@code ./thalweg run} as users start it, in its own process.
 *
 * @param port of HTTP and gRPC
 * @param server the metrics of its port
 * @param flink the statistics of its job
 * @param folder of its files
 */
public record LiveThalweg(Child process, int port, ThalwegServer server, JobCheckpoints flink, Path folder)
        implements AutoCloseable {
    private static final Duration START = Duration.ofMinutes(3);
    private static final String GC_LOG = "gc.log";
    private static final String STORE = "store";
    private static final String EMBEDDED = "{path: %s}".formatted(STORE);

    /**
     * How it is started.
     *
     * @param folder of its files; it resumes from the files of an earlier process
     * @param checkpoints their interval
     * @param store {@code store} of its {@code thalweg.yaml}
     * @param environment of the launcher
     * @param javaOptions besides those of the launcher
     */
    public record Start(
            Path folder,
            String bootstrap,
            String checkpoints,
            String store,
            Map<String, String> environment,
            List<String> javaOptions) {
        /** Creates a start with the embedded store and the launcher's settings. */
        public Start(Path folder, String bootstrap, String checkpoints, List<String> javaOptions) {
            this(folder, bootstrap, checkpoints, EMBEDDED, Map.of(), javaOptions);
        }
    }

    /** Starts the demand views from scratch; returns when it serves. */
    static LiveThalweg start(TestBed testBed, Load load) throws IOException, InterruptedException {
        Setup setup = testBed.setup();
        Start how = new Start(
                testBed.folder().resolve("thalweg"),
                testBed.bootstrap(),
                setup.checkpoints() + "s",
                testBed.store().yaml(),
                setup.environment(),
                load.javaOptions(setup.views()));
        String parallelism = String.valueOf(setup.parallelism());
        String views = testBed.definitionsFile().toString();
        return start(how, List.of(views, "--parallelism", parallelism, "--resume", "none", "--serve"));
    }

    /**
     * Starts it and returns when it serves and its job is known.
     *
     * @param arguments of {@code run}: views and options
     */
    public static LiveThalweg start(Start how, List<String> arguments) throws IOException, InterruptedException {
        Path folder = how.folder();
        int port = Child.freePort();
        Files.createDirectories(folder);
        Files.writeString(
                folder.resolve("thalweg.yaml"), """
                deployment: bench
                kafka: {default: {bootstrap: "%s"}}
                checkpoints: {dir: checkpoints, every: %s}
                store: %s
                server: {port: %d}
                """.formatted(how.bootstrap(), how.checkpoints(), how.store(), port));
        List<String> options = new ArrayList<>(how.javaOptions());
        options.add(GcLog.option(folder.resolve(GC_LOG)));
        List<String> command = new ArrayList<>(List.of(Clone.launcher().toString(), "run"));
        command.addAll(arguments);
        command.addAll(List.of("--config", "thalweg.yaml", "--quiet"));
        String secret = UUID.randomUUID().toString();
        Map<String, String> environment = new HashMap<>(how.environment());
        environment.put("THALWEG_NO_BUILD", "1");
        environment.put("THALWEG_JAVA_OPTS", String.join(" ", options));
        environment.put("THALWEG_REST_SECRET", secret);
        Child process = Child.start("run", folder, environment, command);
        try {
            JobCheckpoints flink = await(process, port, folder, secret);
            requireJava(process, environment.get("JAVA_HOME"));
            return new LiveThalweg(process, port, new ThalwegServer(port), flink, folder);
        } catch (IOException | InterruptedException | RuntimeException e) {
            process.close();
            throw e;
        }
    }

    /** Checks the JDK, because the launcher uses another one if the named one is unsuitable. */
    private static void requireJava(Child process, @Nullable String home) throws IOException {
        if (home == null) {
            return;
        }
        Path wanted = Path.of(home, "bin", "java").toRealPath();
        Path found = Path.of(ProcessHandle.of(process.pid())
                        .flatMap(each -> each.info().command())
                        .orElse(""))
                .toRealPath();
        if (!found.equals(wanted)) {
            throw new IllegalStateException(
                    "the launcher started %s, not %s: is its version from 17 to 25?".formatted(found, wanted));
        }
    }

    /** Waits until Flink knows the job; the server starts before that. */
    private static JobCheckpoints await(Child process, int port, Path folder, String secret)
            throws InterruptedException {
        process.awaitHttp(port, "/livez", START);
        AtomicReference<@Nullable JobCheckpoints> flink = new AtomicReference<>();
        process.await("job", START, () -> {
            JobCheckpoints.find(folder.resolve(".thalweg/log/thalweg.log"), secret, folder.resolve("checkpoints"))
                    .ifPresent(flink::set);
            return flink.get() != null;
        });
        return Objects.requireNonNull(flink.get());
    }

    GcLog gcLog() throws IOException {
        return GcLog.read(folder.resolve(GC_LOG));
    }

    /** The folder of the embedded store's files. */
    Path storeFolder() {
        return folder.resolve(STORE);
    }

    /** Runs a full collection, which the GC log records; does nothing if the JDK has no {@code jcmd}. */
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

    /** Runs a full collection and returns the live bytes of the heap. */
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
