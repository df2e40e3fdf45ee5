package io.thalweg.records.registry;

/** There is no schema of an id, a fingerprint, a subject or a version. */
public final class UnknownSchemaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UnknownSchemaException(String message) {
        super(message);
    }
}
