package io.thalweg.live;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** The job does not answer: it does not run, restarts, or has too much to do. */
public final class LiveUnavailableException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1;

    private final boolean overloaded;

    LiveUnavailableException(String message, boolean overloaded, @Nullable Throwable cause) {
        super(message, cause);
        this.overloaded = overloaded;
    }

    /** Whether it answers, but has too many reads waiting: come back later, and not at once. */
    public boolean overloaded() {
        return overloaded;
    }
}
