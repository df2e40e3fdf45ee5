package io.thalweg.live;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** Thrown when the job does not answer: it does not run, restarts, or is overloaded. */
public final class LiveUnavailableException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final boolean overloaded;

    LiveUnavailableException(String message, boolean overloaded, @Nullable Throwable cause) {
        super(message, cause);
        this.overloaded = overloaded;
    }

    /** Whether the job answers, but has too many queued reads: callers should retry later, not at once. */
    public boolean overloaded() {
        return overloaded;
    }
}
