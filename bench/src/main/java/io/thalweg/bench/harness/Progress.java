package io.thalweg.bench.harness;

import java.io.PrintWriter;

/** Prints the progress of a measurement to standard error from time to time, because it takes minutes. */
public final class Progress {
    private static final long EVERY_NANOS = 10_000_000_000L;

    private final PrintWriter err;
    private final boolean quiet;
    private long nextNanos = System.nanoTime();

    /** Creates a progress; {@code quiet} prints nothing. */
    public Progress(PrintWriter err, boolean quiet) {
        this.err = err;
        this.quiet = quiet;
    }

    /** Prints a new message. */
    public void say(String line) {
        if (!quiet) {
            err.println(line);
        }
    }

    /** Prints how far the measurement is, unless that was printed recently. */
    public void show(String line) {
        if (System.nanoTime() - nextNanos >= 0) {
            nextNanos = System.nanoTime() + EVERY_NANOS;
            say(line);
        }
    }
}
