package io.thalweg.records.registry;

/** Thrown if there is no schema with an id, a fingerprint, a subject or a version. */
public final class UnknownSchemaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UnknownSchemaException(String message) {
        super(message);
    }
}
