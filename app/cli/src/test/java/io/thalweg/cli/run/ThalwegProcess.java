package io.thalweg.cli.run;

import io.thalweg.testing.Await;
import io.thalweg.testing.FreePorts;
import io.thalweg.testing.Subprocess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code thalweg run} as users start it, in a process of its own that can be killed and started again. */
final class ThalwegProcess implements AutoCloseable {
    private final Path folder;
    private final int port = FreePorts.next();
    private @Nullable Subprocess process;

    /** In a folder that gets a {@code thalweg.yaml}; checkpoints every second. */
    ThalwegProcess(Path folder, String bootstrap) throws IOException {
        this(folder, bootstrap, "");
    }

    /** With more lines in its {@code thalweg.yaml}; indented ones are part of {@code server}. */
    ThalwegProcess(Path folder, String bootstrap, String deploymentConfig) throws IOException {
        this.folder = folder;
        Files.writeString(folder.resolve("thalweg.yaml"), """
                deployment: test
                kafka: {default: {bootstrap: "%s"}}
                checkpoints: {dir: checkpoints, every: 1s}
                store: {path: store}
                server:
                  port: %d
                  admin_port: 0
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
        running.awaitExit(Await.PATIENCE);
    }

    /** Returns the first line of the newest run's record: the checkpoint that it resumed from; empty for none. */
    String begunFrom() throws IOException {
        return Files.readAllLines(newestRun().resolve("run.txt")).get(0);
    }

    /** Returns the complete checkpoints of the newest run, newest first. */
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

    /** Waits for a checkpoint of the newest run whose barrier is behind all that the job has done so far. */
    void awaitCheckpoint() throws IOException {
        int done = newestCheckpoint();
        // The next one may have begun already.
        Await.until("two checkpoints after " + done, () -> newestCheckpoint() >= done + 2);
    }

    private int newestCheckpoint() throws IOException {
        return checkpoints().stream().findFirst().map(ThalwegProcess::number).orElse(0);
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

    /** The server of the process. */
    ServedViews served() {
        return new ServedViews(port);
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
            process.awaitExit(Await.PATIENCE);
        }
    }
}
