package io.thalweg.formats;

/** The types that text in a column may also represent. */
public enum TextForm {
    /** Nothing: the column's values are typed. */
    TEXT,
    /** Nothing, by the source's choice: {@code source.numbers} is {@code strict}. */
    STRICT,
    /** A number. */
    LENIENT,
    /** A number or a boolean: the column has only text. */
    UNTYPED;

    private static final String REMEDY = " (source.numbers: lenient accepts it)";

    public static TextForm of(boolean isUntyped) {
        return isUntyped ? UNTYPED : TEXT;
    }

    public boolean mayBeNumber() {
        return this == LENIENT || this == UNTYPED;
    }

    public boolean mayBeBoolean() {
        return this == UNTYPED;
    }

    /**
     * Returns what an error message adds to its rule.
     *
     * @param fits whether the text would fit if it were read as a number
     */
    public String remedy(boolean fits) {
        return this == STRICT && fits ? REMEDY : "";
    }
}
