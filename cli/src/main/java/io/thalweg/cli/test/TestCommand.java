package io.thalweg.cli.test;

import io.thalweg.cli.Config;
import io.thalweg.cli.ConfiguredLookups;
import io.thalweg.cli.Console;
import io.thalweg.cli.Folders;
import io.thalweg.cli.UserError;
import io.thalweg.cli.ViewFiles;
import io.thalweg.cli.test.TestRun.Result;
import io.thalweg.jobs.embedded.EmbeddedCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code thalweg test}: events in, and the rows that a view makes of them compared with what is expected. */
@Command(
        name = "test",
        description = "Runs tests of views: events through the real job, and its rows compared with what is expected.",
        footer = {
            "",
            "Examples:",
            "  thalweg test examples/tests",
            "  thalweg test tests/demand.yaml --record",
        })
public final class TestCommand implements Callable<Integer> {
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

    public TestCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        ViewFiles viewFiles = config.views(console);
        List<PipelineTest> tests = PipelineTests.load(files, viewFiles, record);
        if (tests.isEmpty()) {
            throw UserError.usage(
                    "there is no definition of kind: Test in "
                            + files.stream().map(Path::toString).collect(Collectors.joining(" ")),
                    "thalweg init writes one");
        }
        List<Result> results = run(tests, ConfiguredLookups.of(viewFiles.deploymentConfig()));
        if (record) {
            record(results);
        }
        if (junit != null) {
            JUnitReport.write(results, junit);
        }
        return results.stream().allMatch(Result::passed) ? 0 : UserError.FAILED;
    }

    private List<Result> run(List<PipelineTest> tests, ConfiguredLookups lookups)
            throws IOException, InterruptedException {
        long begun = System.nanoTime();
        List<Result> results = new ArrayList<>();
        Path scratch = Files.createTempDirectory("thalweg-test");
        try (EmbeddedCluster cluster = new EmbeddedCluster()) {
            for (PipelineTest test : tests) {
                Path own = Files.createDirectory(scratch.resolve(String.valueOf(results.size())));
                Result result = new TestRun(lookups, cluster, record).run(test, own);
                results.add(result);
                report(result);
            }
        } finally {
            Folders.deleteQuietly(scratch);
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

    /** Later documents of a file first, so that the lines of the earlier ones stay. */
    private void record(List<Result> results) throws IOException {
        List<Result> fromTheEnd = results.stream()
                .sorted(Comparator.<Result>comparingInt(
                                result -> result.test().place().line())
                        .reversed())
                .toList();
        for (Result result : fromTheEnd) {
            String block = result.recorded();
            if (block != null) {
                PipelineTest.Place place = result.test().place();
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
