package io.thalweg.records.schema;

/** Thrown if a schema cannot be read or used. The message states what is wrong, where, and what to do. */
public final class SchemaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SchemaException(String message) {
        super(message);
    }

    public SchemaException(String message, Throwable cause) {
        super(message, cause);
    }
}
