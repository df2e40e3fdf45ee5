package io.thalweg.model.row;

/** Thrown for rows whose text is not valid Unicode, which no store can represent. */
public final class InvalidTextException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    InvalidTextException(String field) {
        super("row." + field + " must be valid Unicode text, was text with half of a surrogate pair");
    }
}
