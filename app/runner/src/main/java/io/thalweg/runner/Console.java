package io.thalweg.runner;

import java.io.InputStream;
import java.io.PrintWriter;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The input and output of a command, passed in so that tests can run it in their own process. Results go to {@link #out},
 * everything else to {@link #err}. The caller flushes both at the end.
 *
 * <p><b>Threads.</b> The writers are safe to share.
 */
public final class Console {
    private final PrintWriter out;
    private final PrintWriter err;
    private final InputStream in;
    private final boolean terminal;
    private final Map<String, String> env;
    private final LongSupplier nanoTime;

    /**
     * Creates a console.
     *
     * @param terminal whether the output is a terminal: progress is then one line that changes
     * @param env the environment
     * @param nanoTime as {@link System#nanoTime}
     */
    public Console(
            PrintWriter out,
            PrintWriter err,
            InputStream in,
            boolean terminal,
            Map<String, String> env,
            LongSupplier nanoTime) {
        this.out = out;
        this.err = err;
        this.in = in;
        this.terminal = terminal;
        this.env = Map.copyOf(env);
        this.nanoTime = nanoTime;
    }

    /** The writer for results. It is buffered; flush it where a reader waits. */
    public PrintWriter out() {
        return out;
    }

    /** The writer for people: progress, errors, hints. It is flushed at every line. */
    public PrintWriter err() {
        return err;
    }

    /** Standard input. */
    public InputStream in() {
        return in;
    }

    /** Whether the output is a terminal. */
    public boolean isTerminal() {
        return terminal;
    }

    /** Whether what people read is coloured: on a terminal, unless {@code NO_COLOR} is set. */
    public boolean hasColours() {
        return terminal && env.getOrDefault("NO_COLOR", "").isEmpty();
    }

    /** The environment. */
    public Map<String, String> env() {
        return env;
    }

    /** Shows progress on {@link #err}: one changing line on a terminal, a line now and then otherwise, nothing if quiet. */
    public ProgressLine progress(boolean quiet) {
        ProgressLine.Style style =
                quiet ? ProgressLine.Style.SILENT : terminal ? ProgressLine.Style.UPDATING : ProgressLine.Style.PLAIN;
        return new ProgressLine(err, style, nanoTime);
    }
}
