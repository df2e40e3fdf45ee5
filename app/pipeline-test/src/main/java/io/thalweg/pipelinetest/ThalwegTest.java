package io.thalweg.pipelinetest;

import io.thalweg.pipelinetest.TestRun.Result;
import io.thalweg.runner.ViewFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A definition of {@code kind: Test} for Java's test frameworks; it depends on none of them. With JUnit:
 *
 * <pre>{@code
 * @TestFactory
 * Stream<DynamicTest> pipelines() {
 *     return ThalwegTest.in(Path.of("tests")).map(test -> dynamicTest(test.name(), test.source(), test::run));
 * }
 * }</pre>
 *
 * <p><b>Resources.</b> The tests of a stream share an embedded cluster, which starts with the first test and stops when the stream is
 * closed. JUnit closes the stream of a factory.
 *
 * <p><b>Threads.</b> Tests of a stream may run in any thread; they run one after the other.
 */
public final class ThalwegTest {
    private final PipelineTest test;
    private final TestTargets targets;
    private final TestSession session;

    private ThalwegTest(PipelineTest test, TestTargets targets, TestSession session) {
        this.test = test;
        this.targets = targets;
        this.session = session;
    }

    /**
     * Returns the tests in files and folders, with {@code ./thalweg.yaml} as the deployment configuration if it exists. Close the stream
     * after the last test.
     *
     * @throws io.thalweg.model.problem.DefinitionException with all problems of the tests and of the definitions that they name
     * @throws io.thalweg.runner.UserError if a test runs under {@code cluster}, and the configuration does not name a cluster
     */
    public static Stream<ThalwegTest> in(Path... files) {
        return in(null, files);
    }

    /**
     * Like {@link #in(Path...)}, with a deployment configuration.
     *
     * @param config null = {@code ./thalweg.yaml} if it exists
     */
    public static Stream<ThalwegTest> in(@Nullable Path config, Path[] files) {
        ViewFiles definitions = ViewFiles.of(config, System.getenv());
        List<PipelineTest> tests = PipelineTests.load(List.of(files), definitions, false, new HashSet<>());
        TestTargets targets = TestTargets.of(definitions.deploymentConfig(), tests);
        try {
            TestSession session = new TestSession();
            return tests.stream()
                    .map(test -> new ThalwegTest(test, targets, session))
                    .onClose(session::close);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot make a temporary folder", e);
        }
    }

    /** The name of the test, which is unique in its stream. */
    public String name() {
        return test.name();
    }

    /** Where the test is written: a file with the line as its query, {@code ?line=3}, as JUnit expects it. */
    public URI source() {
        return URI.create(
                Path.of(test.place().file()).toUri() + "?line=" + test.place().line());
    }

    /**
     * Runs the test.
     *
     * @throws AssertionError if it fails; the message lists the differences, one per line
     */
    public void run() throws IOException, InterruptedException {
        Result result;
        synchronized (session) {
            result = session.run(test, targets, false);
        }
        if (!result.passed()) {
            throw new AssertionError("%s (%s:%d)%n%s"
                    .formatted(
                            test.name(),
                            test.place().file(),
                            test.place().line(),
                            String.join(System.lineSeparator(), result.failures())));
        }
    }

    @Override
    public String toString() {
        return name();
    }
}
