package io.thalweg.cli;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs text that is printed for people, one event per line, so that standard error contains only log events. Lines that
 * report an error have level ERROR, all others INFO; empty lines are skipped.
 *
 * <p><b>Threads.</b> Not safe; the writer and the stream that it is wrapped in are.
 */
final class LoggedLines extends OutputStream {
    private static final Logger LOG = LoggerFactory.getLogger("thalweg");
    /** The prefix of every report of {@link Errors}. */
    private static final String ERROR = "thalweg: ";

    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    private LoggedLines() {}

    /** Returns a writer whose lines are logged. */
    static PrintWriter writer() {
        return new PrintWriter(new OutputStreamWriter(new LoggedLines(), StandardCharsets.UTF_8), true);
    }

    /**
     * Logs what libraries print on standard error, and exceptions that end a thread. The log itself keeps writing to the
     * original standard error, because the logger of this class is created before this call.
     */
    static void takeStandardError() {
        System.setErr(new PrintStream(new LoggedLines(), true, StandardCharsets.UTF_8));
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, failure) -> LOG.error("Uncaught exception in thread {}", thread.getName(), failure));
    }

    @Override
    public void write(int octet) {
        if (octet == '\n') {
            log();
        } else {
            line.write(octet);
        }
    }

    private void log() {
        String text = line.toString(StandardCharsets.UTF_8).stripTrailing();
        line.reset();
        if (text.startsWith(ERROR)) {
            LOG.error("{}", text.substring(ERROR.length()));
        } else if (!text.isEmpty()) {
            LOG.info("{}", text);
        }
    }

    @Override
    public void close() {
        log();
    }
}
