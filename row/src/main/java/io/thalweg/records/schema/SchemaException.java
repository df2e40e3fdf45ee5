package io.thalweg.records.schema;

/** A schema that cannot be read or used. The message states what is wrong, where, and what to do. */
public final class SchemaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SchemaException(String message) {
        super(message);
    }

    public SchemaException(String message, Throwable cause) {
        super(message, cause);
    }
}
