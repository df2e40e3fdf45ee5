package io.thalweg.model.view;

/** The types a join key or an identity may be declared as; {@code string} by default. */
public enum ValueType {
    STRING,
    INT64,
    BOOL,
    UUID;

    /** As written in a definition: {@code string}, {@code int64}, {@code bool}, {@code uuid}. */
    public String text() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
