package io.thalweg.bench.suite;

import io.thalweg.bench.harness.BenchCommand;
import io.thalweg.bench.harness.Clone;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code thalweg bench current}: measures what is stale, unattended. */
@Command(
        name = "current",
        description = {
            "Measures every scenario whose result is missing, stale or has too few rounds; the shortest runs first.",
            "Stops when everything is current, before a run that does not fit into the time, or with Ctrl-C."
        },
        footer = {"", "Example:", "  thalweg bench current --hours 8     a night; the next night continues"})
public final class CurrentCommand extends BenchCommand {
    /** How long a run may take to end after Ctrl-C. */
    private static final long END_SECONDS = 60;

    @Option(names = "--hours", paramLabel = "H", required = true, description = "The time limit; fractions too.")
    private double hours;

    private volatile boolean interrupted;
    private volatile @Nullable Process running;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!(hours > 0 && hours <= 1_000)) {
            throw refusal("--hours must be above 0 and at most 1000, was " + hours);
        }
        Clone clone = Clone.ofLauncher();
        String commit = clone.commit();
        if (!commit.matches("[0-9a-f]+")) {
            throw refusal("results are kept only of committed code, and this clone is at " + commit
                    + "; commit or undo its changes");
        }
        CountDownLatch reported = new CountDownLatch(1);
        Thread atExit = new Thread(() -> interrupt(reported));
        Runtime.getRuntime().addShutdownHook(atExit);
        try {
            return new CatchUp(
                            Scenarios.all(),
                            scenario -> Freshness.of(scenario, clone.results(), clone),
                            this::measure,
                            InstantSource.system(),
                            () -> reasonToStop(clone, commit),
                            out()::println)
                    .run(Duration.ofMillis((long) (hours * 3_600_000)));
        } finally {
            reported.countDown();
            if (!interrupted) {
                Runtime.getRuntime().removeShutdownHook(atExit);
            }
        }
    }

    private String reasonToStop(Clone clone, String commit) {
        if (interrupted) {
            return "interrupted";
        }
        String now = clone.commit();
        return now.equals(commit) ? "" : "the clone was at commit %s and is now at %s".formatted(commit, now);
    }

    /** Ends the run in progress, and waits until what is left has been reported. */
    private void interrupt(CountDownLatch reported) {
        interrupted = true;
        Process run = running;
        if (run != null) {
            run.destroy(); // a terminal has sent the signal to both
        }
        try {
            boolean unused = reported.await(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Measures in a process of its own, without a build, so that all rounds of a night are of the same code; then writes the page
     * of all results.
     */
    private int measure(Scenario scenario, int rounds, boolean add) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Clone.launcher().toString(), "bench", "run", scenario.name(), "--rounds", String.valueOf(rounds)));
        if (add) {
            command.add("--add");
        }
        ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
        builder.environment().put("THALWEG_NO_BUILD", "1");
        Process run = builder.start();
        running = run;
        try {
            int code = run.waitFor();
            Path results = Clone.ofLauncher().results();
            Files.writeString(results.resolve("README.md"), ResultsPage.of(Scenarios.all(), results));
            return code;
        } finally {
            running = null;
        }
    }
}
