package io.thalweg.pipelinetest;

import io.thalweg.model.problem.DefinitionException;
import io.thalweg.pipelinetest.TestRun.Result;
import io.thalweg.runner.Console;
import io.thalweg.runner.Interrupt;
import io.thalweg.runner.UserError;
import io.thalweg.runner.ViewFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The tests of files and folders: runs them, and reports their results.
 *
 * @param files with definitions of {@code kind: Test}, or folders of them
 * @param viewFiles reads {@code thalweg.yaml}, at each run again
 * @param record replaces the expectations with the results
 * @param junit where the results are also written as JUnit's XML; null = nowhere
 * @param quiet reports only tests that fail
 */
public record TestSuite(
        List<Path> files,
        Supplier<ViewFiles> viewFiles,
        boolean record,
        @Nullable Path junit,
        Console console,
        boolean quiet) {
    private static final int END_SECONDS = 30;

    /** Runs the tests once; returns the exit code. */
    public int run() throws IOException, InterruptedException {
        return untilInterrupted(UserError.INTERRUPTED, session -> run(session, load()));
    }

    /**
     * Runs the tests whenever something has changed, until Ctrl-C; returns the exit code.
     *
     * @param problems reports a definition that cannot be used
     */
    public int watch(Consumer<RuntimeException> problems) throws IOException, InterruptedException {
        return untilInterrupted(0, session -> watch(session, problems));
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
        ViewFiles viewFiles = this.viewFiles.get();
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
    private int watch(TestSession session, Consumer<RuntimeException> problems)
            throws IOException, InterruptedException {
        FileWatch changes = new FileWatch(
                junit == null ? Set.of() : Set.of(junit.toAbsolutePath().normalize()));
        while (true) {
            changes.add(files.stream());
            runOnce(session, changes, problems);
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
    private void runOnce(TestSession session, FileWatch changes, Consumer<RuntimeException> problems)
            throws IOException, InterruptedException {
        try {
            Loaded loaded = load();
            changes.add(loaded.files().stream());
            run(session, loaded);
        } catch (DefinitionException | UserError e) {
            problems.accept(e);
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
