package io.thalweg.cli;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The input and output of a command, passed in so that tests can run it in their own process. Results go to {@link #out},
 * everything else to {@link #err}. {@link Main} flushes both at the end.
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

    /** Returns the console of this process, in UTF-8. If the log is JSON, so is everything written to {@link #err}. */
    @SuppressWarnings("SystemConsoleNull") // see jdk.console
    static Console system() {
        // From Java 22 on, System.console() would be non-null even without a terminal.
        System.setProperty("jdk.console", "java.base");
        String term = System.getenv().getOrDefault("TERM", "dumb");
        boolean json = Logging.isJson(System.getenv());
        boolean terminal = !json && System.console() != null && !term.isEmpty() && !term.equals("dumb");
        return new Console(
                writer(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16), false),
                json ? LoggedLines.writer() : writer(new FileOutputStream(FileDescriptor.err), true),
                System.in,
                terminal,
                System.getenv(),
                System::nanoTime);
    }

    private static PrintWriter writer(OutputStream out, boolean flushLines) {
        return new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), flushLines);
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
