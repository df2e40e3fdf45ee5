package io.thalweg.model.row;

/** Thrown for well-formed rows that belong to another view or have another layout than the view. */
public final class ForeignRowException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** How the rows differ. */
    public enum Difference {
        /** They belong to another view. */
        VIEW,
        /** They were written with other rings, measures or windows. */
        LAYOUT
    }

    private final Difference difference;
    private final String view;

    /**
     * Creates an exception.
     *
     * @param view the view that the rows say they are of
     */
    public ForeignRowException(Difference difference, String view, String message) {
        super(message);
        this.difference = difference;
        this.view = view;
    }

    /** How the rows differ. */
    public Difference difference() {
        return difference;
    }

    /** Qualified name of the view that the rows name. */
    public String view() {
        return view;
    }
}
