package io.thalweg.bench.harness;

import java.io.PrintWriter;

/** Says on standard error how a measurement goes: now and then, for it takes minutes. */
public final class Progress {
    private static final long EVERY_NANOS = 10_000_000_000L;

    private final PrintWriter err;
    private final boolean quiet;
    private long nextNanos = System.nanoTime();

    /** {@code quiet}: says nothing. */
    public Progress(PrintWriter err, boolean quiet) {
        this.err = err;
        this.quiet = quiet;
    }

    /** Says a new thing. */
    public void say(String line) {
        if (!quiet) {
            err.println(line);
        }
    }

    /** Says how far a thing has come, if it was not said lately. */
    public void show(String line) {
        if (System.nanoTime() - nextNanos >= 0) {
            nextNanos = System.nanoTime() + EVERY_NANOS;
            say(line);
        }
    }
}
