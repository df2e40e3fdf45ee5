package io.thalweg.runner;

import java.io.PrintWriter;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Shows the progress of a command. Call {@link #show} as often as you like: it draws only when due.
 *
 * <p><b>Threads.</b> Safe to share.
 */
public final class ProgressLine implements AutoCloseable {
    private static final String ERASE = "\r\u001b[K";

    private final PrintWriter out;
    private final Style style;
    private final LongSupplier nanoTime;
    private final long everyNanos;
    private long lastNanos;
    private boolean shown;
    private String drawn = "";

    /** How progress is shown. */
    enum Style {
        /** One line that changes, up to five times a second. */
        UPDATING(TimeUnit.MILLISECONDS.toNanos(200)),
        /** A line every five seconds. */
        PLAIN(TimeUnit.SECONDS.toNanos(5)),
        /** Not at all. */
        SILENT(Long.MAX_VALUE);

        private final long everyNanos;

        Style(long everyNanos) {
            this.everyNanos = everyNanos;
        }
    }

    ProgressLine(PrintWriter out, Style style, LongSupplier nanoTime) {
        this.out = out;
        this.style = style;
        this.nanoTime = nanoTime;
        this.everyNanos = style.everyNanos;
        this.lastNanos = nanoTime.getAsLong();
    }

    /** Shows a one-line text if it is due. It calls the supplier only then. */
    public synchronized void show(Supplier<String> text) {
        long now = nanoTime.getAsLong();
        boolean first = style == Style.UPDATING && !shown;
        if (style == Style.SILENT || !(first || now - lastNanos >= everyNanos)) {
            return;
        }
        lastNanos = now;
        shown = true;
        if (style == Style.PLAIN) {
            out.println(text.get());
        } else {
            drawn = text.get();
            out.print(ERASE + drawn);
        }
        out.flush();
    }

    /** Prints a permanent line above the progress, unless quiet. */
    public synchronized void say(String line) {
        if (style != Style.SILENT) {
            warn(line);
        }
    }

    /** Prints a permanent line above the progress, even if quiet. */
    public synchronized void warn(String line) {
        out.println(drawn.isEmpty() ? line : ERASE + line);
        out.print(drawn);
        out.flush();
    }

    /** Erases the changing line, so that the next output starts at the left. */
    @Override
    public synchronized void close() {
        if (!drawn.isEmpty()) {
            drawn = "";
            out.print(ERASE);
            out.flush();
        }
    }
}
