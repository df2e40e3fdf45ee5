package io.thalweg.bench.harness;

import io.thalweg.bench.harness.Contest.Score;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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

    /** Runs a contestant that ends after its only score, and returns that. */
    public Score run(String system, Child.Program program, Record order) throws IOException, InterruptedException {
        return run(system, program, order, heard -> {});
    }

    /**
     * Runs a contestant that ends after its only score, and returns that.
     *
     * @param order its argument
     * @param heard takes its progress, on a separate thread
     * @throws IllegalStateException with the end of its standard error, if it has no score
     */
    public Score run(String system, Child.Program program, Record order, Consumer<String> heard)
            throws IOException, InterruptedException {
        try (Running running = start(system, program, heard, order)) {
            return running.score();
        }
    }

    /** Starts a contestant that takes orders on its standard input and answers each with a score. */
    public Running start(String system, Child.Program program) throws IOException {
        return start(system, program, heard -> {});
    }

    private Running start(String system, Child.Program program, Consumer<String> heard, Record... order)
            throws IOException {
        Path folder = Files.createTempDirectory("thalweg-" + system + "-");
        BlockingQueue<Score> scores = new LinkedBlockingQueue<>();
        Consumer<String> said = text -> {
            progress.say(system + ": " + text);
            heard.accept(text);
        };
        Child child = Child.java(
                system,
                folder,
                program.withOptions(List.of("-Djava.io.tmpdir=" + folder)).withOptions(OPTIONS),
                line -> Messages.read(line, said, scores::add),
                order);
        return new Running(child, folder, scores, patience);
    }

    /** A running contestant. */
    public record Running(Child child, Path folder, BlockingQueue<Score> scores, Duration patience)
            implements AutoCloseable {
        /** Sends an order and waits for the score. */
        public Score ask(Record order) throws IOException, InterruptedException {
            child.tell(Messages.line(order));
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
                    throw new IllegalStateException("%s has no score%s: %s"
                            .formatted(child.name(), ended ? "" : " after " + patience, child.said()));
                }
                ended = !child.process().isAlive(); // its last line may be in transit
            }
        }

        @Override
        public void close() throws IOException {
            child.close();
            Folders.delete(folder);
        }
    }
}
