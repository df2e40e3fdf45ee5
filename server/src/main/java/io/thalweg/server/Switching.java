package io.thalweg.server;

import java.util.function.Consumer;

/**
 * What a server does about several versions of a view.
 *
 * @param report takes a line for people when a switch is awaited, done or taken back; called from any thread
 */
public record Switching(Mode mode, Consumer<String> report) {
    /** Reads of a name get the version that they got before. */
    public static final Switching NONE = new Switching(Mode.KEEP, line -> {});

    /** What becomes of the names of views. */
    public enum Mode {
        /** Nothing changes. */
        KEEP,
        /** Reads of a name get its newest version once that has caught up with the present one. */
        REPLACE,
        /** Reads of a name get the version before the present one again, at once. */
        ABORT
    }
}
