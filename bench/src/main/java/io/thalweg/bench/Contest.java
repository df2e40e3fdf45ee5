package io.thalweg.bench;

import io.thalweg.bench.advertising.ContestantOutput;
import io.thalweg.bench.demand.Child;
import io.thalweg.bench.demand.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Runs contestants, each in a process and a folder of its own, which is deleted when the process has ended.
 *
 * @param progress where they say how far they are
 * @param patience how long one may take
 */
record Contest(Progress progress, Duration patience) {
    private static final List<String> OPTIONS = List.of(
            "-XX:+UseParallelGC",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED");

    /** The arguments of a process, which may name its folder. */
    interface Arguments {
        List<String> in(Path folder);
    }

    /** A process: what it is called, with which options, from which class path. */
    record Entry(String system, List<String> options, String classPath, Class<?> main) {
        Entry(String system, List<String> options, Class<?> main) {
            this(system, options, System.getProperty("java.class.path"), main);
        }
    }

    /**
     * What a contestant found.
     *
     * @throws IllegalStateException with the end of what it wrote to its standard error, if it found nothing
     */
    ContestantOutput.Result run(Entry entry, Arguments arguments) throws IOException, InterruptedException {
        return run(entry, arguments, heard -> {});
    }

    /**
     * What a contestant found.
     *
     * @param heard takes what it says about how far it is, on a thread of its own
     * @throws IllegalStateException with the end of what it wrote to its standard error, if it found nothing
     */
    ContestantOutput.Result run(Entry entry, Arguments arguments, Consumer<String> heard)
            throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("thalweg-" + entry.system() + "-");
        List<String> options = new ArrayList<>(OPTIONS);
        options.add("-Djava.io.tmpdir=" + folder);
        options.addAll(entry.options());
        CompletableFuture<ContestantOutput.Result> said = new CompletableFuture<>();
        try (Child child = Child.java(
                entry.system(),
                folder,
                options,
                entry.classPath(),
                entry.main(),
                arguments.in(folder),
                line -> listen(line, entry.system(), heard, said))) {
            int code = child.awaitExit(patience);
            // Its last line may be on its way yet.
            ContestantOutput.Result result = said.completeOnTimeout(null, 1, java.util.concurrent.TimeUnit.SECONDS)
                    .join();
            if (result == null) {
                throw new IllegalStateException("%s ended with exit code %d and without a result: %s"
                        .formatted(entry.system(), code, child.said()));
            }
            return result;
        } finally {
            Folders.delete(folder);
        }
    }

    private void listen(
            String line, String system, Consumer<String> heard, CompletableFuture<ContestantOutput.Result> said) {
        if (ContestantOutput.isProgress(line)) {
            progress.say(system + ": " + ContestantOutput.progressOf(line));
            heard.accept(ContestantOutput.progressOf(line));
        } else if (ContestantOutput.isResult(line)) {
            said.complete(ContestantOutput.resultOf(line));
        }
    }
}
