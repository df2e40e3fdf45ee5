package io.thalweg.pipelinetest;

import io.thalweg.runner.Console;
import io.thalweg.runner.ViewFiles;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The outcome of the tests of a file or a folder. */
record SuiteRun(int exit, String out, String err) {
    /** Runs tests as {@code thalweg test} does; {@code record} replaces their expectations with the results. */
    static SuiteRun of(Path tests, boolean record) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Console console = new Console(
                new PrintWriter(out, true),
                new PrintWriter(err, true),
                InputStream.nullInputStream(),
                false,
                Map.of(),
                System::nanoTime);
        try {
            int exit = new TestSuite(List.of(tests), () -> ViewFiles.of(null, Map.of()), record, null, console, false)
                    .run();
            return new SuiteRun(exit, out.toString(), err.toString());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
