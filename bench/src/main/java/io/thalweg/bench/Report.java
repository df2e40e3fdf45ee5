package io.thalweg.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a measurement reports its results, with the options that commands share. */
final class Report {
    private final PrintWriter out;
    private final PrintWriter err;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the figures there, too.")
    private @Nullable Path json;

    @Option(names = "--quiet", description = "No progress.")
    private boolean quiet;

    Report(PrintWriter out, PrintWriter err) {
        this.out = out;
        this.err = err;
    }

    Progress progress() {
        return new Progress(err, quiet);
    }

    void print(Results results) {
        results.print(out);
    }

    /** For what is said behind the results. */
    PrintWriter out() {
        return out;
    }

    /** Writes the results to the file asked for; the command's exit code. */
    int end(Results results) throws IOException {
        if (json != null) {
            results.write(json);
        }
        return results.wrong().isEmpty() ? 0 : 1;
    }
}
