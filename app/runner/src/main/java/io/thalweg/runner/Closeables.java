package io.thalweg.runner;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * What was opened, to be closed in the reverse order, all of it even if a part fails to close. Closing twice has no effect, and what
 * is added after that is closed at once.
 *
 * <p><b>Threads.</b> Safe, so that Ctrl-C can close what another thread is still opening.
 */
final class Closeables implements AutoCloseable {
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private boolean closed;

    /** Adds a part and returns it. */
    synchronized <T extends AutoCloseable> T add(T part) {
        parts.push(part);
        if (closed) {
            closeAll();
        }
        return part;
    }

    @Override
    public synchronized void close() {
        closed = true;
        closeAll();
    }

    private void closeAll() {
        RuntimeException failure = null;
        while (!parts.isEmpty()) {
            RuntimeException next = close(parts.pop());
            if (failure == null) {
                failure = next;
            } else if (next != null) {
                failure.addSuppressed(next);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static @Nullable RuntimeException close(AutoCloseable part) {
        try {
            part.close();
            return null;
        } catch (RuntimeException e) {
            return e;
        } catch (IOException e) {
            return new UncheckedIOException(e);
        } catch (Exception e) {
            return new IllegalStateException(e);
        }
    }
}
