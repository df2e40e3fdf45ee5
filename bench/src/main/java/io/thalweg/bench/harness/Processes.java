package io.thalweg.bench.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs contestants, each in its own process and folder. The folder is {@link Folders#temporary} of the process and is deleted
 * when the process has ended.
 *
 * @param progress receives their progress
 * @param patience the longest that one may take for a score
 */
public record Processes(Progress progress, Duration patience) {
    private static final List<String> OPTIONS = List.of(
            "-XX:+UseParallelGC",
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/java.util=ALL-UNNAMED");

    /** A process: its name, options, class path and main class. */
    public record Entry(String system, List<String> options, String classPath, Class<?> main) {
        /** Creates an entry with the class path of this process. */
        public Entry(String system, List<String> options, Class<?> main) {
            this(system, options, System.getProperty("java.class.path"), main);
        }
    }

    /** Runs a contestant that ends after its only score, and returns that. */
    public Score run(Entry entry, Record order) throws IOException, InterruptedException {
        return run(entry, order, heard -> {});
    }

    /**
     * Runs a contestant that ends after its only score, and returns that.
     *
     * @param order its argument
     * @param heard takes its progress, on a separate thread
     * @throws IllegalStateException with the end of its standard error, if it has no score
     */
    public Score run(Entry entry, Record order, Consumer<String> heard) throws IOException, InterruptedException {
        try (Running running = start(entry, Orders.arguments(order), heard)) {
            return running.score();
        }
    }

    /** Starts a contestant that takes orders on its standard input and answers each with a score. */
    public Running start(Entry entry) throws IOException {
        return start(entry, List.of(), heard -> {});
    }

    private Running start(Entry entry, List<String> arguments, Consumer<String> heard) throws IOException {
        Path folder = Files.createTempDirectory("thalweg-" + entry.system() + "-");
        List<String> options = new ArrayList<>(OPTIONS);
        options.add("-Djava.io.tmpdir=" + folder);
        options.addAll(entry.options());
        BlockingQueue<Score> scores = new LinkedBlockingQueue<>();
        Consumer<String> said = text -> {
            progress.say(entry.system() + ": " + text);
            heard.accept(text);
        };
        Child child = Child.java(
                entry.system(),
                folder,
                options,
                entry.classPath(),
                entry.main(),
                arguments,
                line -> ContestantOutput.read(line, said, scores::add));
        return new Running(entry.system(), child, folder, scores, patience);
    }

    /** A running contestant. */
    public static final class Running implements AutoCloseable {
        private final String system;
        private final Child child;
        private final Path folder;
        private final BlockingQueue<Score> scores;
        private final Duration patience;

        private Running(String system, Child child, Path folder, BlockingQueue<Score> scores, Duration patience) {
            this.system = system;
            this.child = child;
            this.folder = folder;
            this.scores = scores;
            this.patience = patience;
        }

        /** Sends an order and waits for the score. */
        public Score ask(Record order) throws IOException, InterruptedException {
            child.tell(Orders.line(order));
            return score();
        }

        private Score score() throws InterruptedException {
            long deadline = System.nanoTime() + patience.toNanos();
            boolean ended = false;
            while (true) {
                Score score = scores.poll(ended ? 1_000 : 100, TimeUnit.MILLISECONDS);
                if (score != null) {
                    return score;
                }
                if (ended || System.nanoTime() - deadline > 0) {
                    throw new IllegalStateException(
                            "%s has no score%s: %s".formatted(system, ended ? "" : " after " + patience, child.said()));
                }
                ended = !child.isAlive(); // its last line may be in transit
            }
        }

        @Override
        public void close() throws IOException {
            child.close();
            Folders.delete(folder);
        }
    }
}
