package io.thalweg.cli.test;

import io.thalweg.cli.Config;
import io.thalweg.cli.Console;
import io.thalweg.cli.Errors;
import io.thalweg.cli.UserError;
import io.thalweg.cli.ViewFiles;
import io.thalweg.cli.run.Interrupt;
import io.thalweg.cli.test.TestRun.Result;
import io.thalweg.model.problem.DefinitionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg test}: runs events through a view or an ingest, and compares the resulting rows with the expected ones. */
@Command(
        name = "test",
        description =
                "Runs tests of views, ingests and publishing: events through the real job, and its rows compared with what is expected.",
        footer = {
            "",
            "Examples:",
            "  thalweg test examples/tests",
            "  thalweg test tests/demand.yaml --record",
        })
public final class TestCommand implements Callable<Integer> {
    private static final int END_SECONDS = 30;

    private final Console console;

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE",
            description = "Files with definitions of kind: Test, or folders of them.")
    private List<Path> files = List.of();

    @Mixin
    private final Config config = new Config();

    @Option(
            names = "--record",
            description =
                    "Replace the expectations of the tests with the results. Review the diff before you commit it.")
    private boolean record;

    @Option(names = "--junit", paramLabel = "FILE", description = "Write the results as JUnit's XML, too.")
    private @Nullable Path junit;

    @Option(names = "--quiet", description = "Report only tests that fail.")
    private boolean quiet;

    @Option(names = "--watch", description = "Run the tests again whenever a file beside a definition changes.")
    private boolean watch;

    public TestCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!watch) {
            return untilInterrupted(UserError.INTERRUPTED, session -> run(session, load()));
        }
        if (record) {
            throw UserError.usage("--watch does not go with --record, which changes the files", "leave one out");
        }
        return untilInterrupted(0, this::watch);
    }

    /** The work of a session. */
    private interface Body {
        /** Returns the exit code. */
        int run(TestSession session) throws IOException, InterruptedException;
    }

    /** Runs a session, which Ctrl-C ends in an orderly way: no job keeps running, and no file is left. */
    private static int untilInterrupted(int exitCode, Body body) throws IOException, InterruptedException {
        Thread self = Thread.currentThread();
        CountDownLatch ended = new CountDownLatch(1);
        Interrupt interrupt = Interrupt.with(exitCode, () -> {
            self.interrupt();
            awaitEnd(ended);
        });
        try (TestSession session = new TestSession()) {
            return body.run(session);
        } catch (InterruptedException e) {
            return exitCode; // Ctrl-C
        } finally {
            ended.countDown();
            interrupt.disarm();
        }
    }

    /**
     * The tests of the files, and the resources that they need.
     *
     * @param files that tests and definitions name
     */
    private record Loaded(List<PipelineTest> tests, TestTargets targets, Set<Path> files) {}

    private Loaded load() {
        ViewFiles viewFiles = config.views(console);
        Set<Path> named = new TreeSet<>();
        List<PipelineTest> tests = PipelineTests.load(files, viewFiles, record, named);
        if (tests.isEmpty()) {
            throw UserError.usage(
                    "there is no definition of kind: Test in "
                            + files.stream().map(Path::toString).collect(Collectors.joining(" ")),
                    "thalweg init writes one");
        }
        return new Loaded(tests, TestTargets.of(viewFiles.deploymentConfig(), tests), named);
    }

    private int run(TestSession session, Loaded loaded) throws IOException, InterruptedException {
        List<Result> results = results(session, loaded);
        if (record) {
            record(results);
        }
        if (junit != null) {
            JUnitReport.write(results, junit);
        }
        return results.stream().allMatch(Result::passed) ? 0 : UserError.FAILED;
    }

    /** Runs the tests whenever something has changed, until Ctrl-C. */
    private int watch(TestSession session) throws IOException, InterruptedException {
        FileWatch changes = new FileWatch(
                junit == null ? Set.of() : Set.of(junit.toAbsolutePath().normalize()));
        while (true) {
            changes.add(files.stream());
            runOnce(session, changes);
            console.out().printf("watching %d folders; Ctrl-C ends%n", changes.size());
            console.out().flush();
            changes.await();
        }
    }

    private static void awaitEnd(CountDownLatch ended) {
        try {
            boolean unused = ended.await(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs the tests once. Reports an invalid definition, which the user can correct while the watch waits. */
    private void runOnce(TestSession session, FileWatch changes) throws IOException, InterruptedException {
        try {
            Loaded loaded = load();
            changes.add(loaded.files().stream());
            run(session, loaded);
        } catch (DefinitionException | UserError e) {
            new Errors(console).report(e);
        }
    }

    private List<Result> results(TestSession session, Loaded loaded) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        List<Result> results = new ArrayList<>();
        for (PipelineTest test : loaded.tests()) {
            Result result = session.run(test, loaded.targets(), record);
            if (Thread.interrupted()) { // while a job was submitted
                throw new InterruptedException();
            }
            results.add(result);
            report(result);
        }
        long failed = results.stream().filter(result -> !result.passed()).count();
        console.out()
                .printf(
                        Locale.ROOT,
                        "%d %s, %d passed, %d failed, %.1f s%n",
                        results.size(),
                        results.size() == 1 ? "test" : "tests",
                        results.size() - failed,
                        failed,
                        (System.nanoTime() - begun) / 1e9);
        return results;
    }

    private void report(Result result) {
        if (quiet && result.passed()) {
            return;
        }
        PipelineTest test = result.test();
        String under = test.under().isEmpty()
                ? ""
                : ", also under "
                        + test.under().stream()
                                .map(PipelineTest.Condition::text)
                                .collect(Collectors.joining(", "));
        console.out()
                .printf(
                        Locale.ROOT,
                        "%-6s %s (%s)%s, %.1f s%n",
                        result.passed() ? "ok" : "FAILED",
                        test.name(),
                        test.subject(),
                        under,
                        result.seconds());
        if (!result.passed()) {
            console.out()
                    .printf("       %s:%d%n", test.place().file(), test.place().line());
            result.failures().forEach(line -> console.out().println("       " + line));
        }
        console.out().flush();
    }

    /** Records results, later documents of a file first, so that the line numbers of earlier ones stay valid. */
    private void record(List<Result> results) throws IOException {
        List<Result> fromTheEnd = results.stream()
                .sorted(Comparator.<Result>comparingInt(
                                result -> result.test().place().line())
                        .reversed())
                .toList();
        for (Result result : fromTheEnd) {
            String block = result.recorded();
            if (block != null) {
                PipelineTest.SourceLine place = result.test().place();
                Path file = Path.of(place.file());
                Files.writeString(
                        file,
                        ExpectBlock.replace(
                                Files.readString(file), place, result.test().isWritten(), block));
            }
        }
        results.stream()
                .map(result -> result.test().place().file())
                .distinct()
                .forEach(file -> console.out().println("wrote " + file));
    }
}
