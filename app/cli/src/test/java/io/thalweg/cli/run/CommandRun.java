package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.cli.Main;
import io.thalweg.jobs.JobAccounts;
import io.thalweg.runner.Console;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The output and the exit code of a command, run in this process. */
public record CommandRun(int exit, String out, String err) {
    static CommandRun of(List<String> arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Console console = new Console(
                new PrintWriter(out),
                new PrintWriter(err, true),
                InputStream.nullInputStream(),
                false,
                Map.of(),
                System::nanoTime);
        Set<String> before = JobAccounts.registered();
        int exit = Main.run(arguments.toArray(new String[0]), console);
        assertThat(JobAccounts.registered())
                .as("jobs whose accounts the command has left behind")
                .isSubsetOf(before);
        return new CommandRun(exit, out.toString(), err.toString());
    }

    public static CommandRun of(Object... arguments) {
        return of(java.util.Arrays.stream(arguments).map(String::valueOf).toList());
    }

    /** Rows in an order that does not depend on the run. */
    List<String> sortedOut() {
        return out.lines().sorted().toList();
    }

    /** The lines that report a failure, without hints. */
    public List<String> failures() {
        return err.lines().filter(line -> line.startsWith("thalweg: ")).toList();
    }

    /** The counts of the last line, by name. */
    Map<String, Double> counts() {
        return counts(err.lines().toList());
    }

    static Map<String, Double> counts(List<String> lines) {
        String last = lines.stream()
                .filter(line -> line.startsWith("events="))
                .reduce((a, b) -> b)
                .orElseThrow(() -> new AssertionError("no line of counts in " + lines));
        Map<String, Double> counts = new java.util.HashMap<>();
        for (String count : last.split(" ", -1)) {
            String[] pair = count.split("=", -1);
            counts.put(pair[0], Double.valueOf(pair[1]));
        }
        return counts;
    }
}
