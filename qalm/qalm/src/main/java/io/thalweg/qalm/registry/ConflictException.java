package io.thalweg.qalm.registry;

/** Thrown if the rules have changed since the author of an edit read them. */
public final class ConflictException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ConflictException(long expected, long actual, String author) {
        super("the rules are at version %d, by %s, not at %d; read them again and repeat the change"
                .formatted(actual, author, expected));
    }
}
