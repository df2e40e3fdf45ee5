package io.thalweg.cli;

import io.thalweg.pipelinetest.TestSuite;
import io.thalweg.runner.Console;
import io.thalweg.runner.UserError;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
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
        TestSuite suite = new TestSuite(files, () -> config.views(console), record, junit, console, quiet);
        if (!watch) {
            return suite.run();
        }
        if (record) {
            throw UserError.usage("--watch does not go with --record, which changes the files", "leave one out");
        }
        return suite.watch(new Errors(console)::report);
    }
}
