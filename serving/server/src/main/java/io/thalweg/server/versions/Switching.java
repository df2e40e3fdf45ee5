package io.thalweg.server.versions;

import java.util.function.Consumer;

/**
 * How a server treats several versions of a view.
 *
 * @param report takes a line for operators when a switch is awaited, done or reverted; called from any thread
 */
public record Switching(Mode mode, Consumer<String> report) {
    /** Keeps the versions that names refer to. */
    public static final Switching NONE = new Switching(Mode.KEEP, line -> {});

    /** What happens to the names of views. */
    public enum Mode {
        /** Nothing changes. */
        KEEP,
        /** Reads of a name get its newest version once it has caught up with the present one. */
        REPLACE,
        /** Reads of a name get the version before the present one again, at once. */
        ABORT
    }
}
