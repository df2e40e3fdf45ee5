package io.thalweg.model.row;

/** Rows that are well-formed, but not those of the view at hand, or not of its shape. */
public final class ForeignRowException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** In what they differ. */
    public enum Difference {
        /** They are another view's. */
        VIEW,
        /** They were written with other rings, measures or windows. */
        LAYOUT
    }

    private final Difference difference;
    private final String view;

    /**
     * Rows of another kind.
     *
     * @param view the view that the rows say they are of
     */
    public ForeignRowException(Difference difference, String view, String message) {
        super(message);
        this.difference = difference;
        this.view = view;
    }

    /** In what the rows differ. */
    public Difference difference() {
        return difference;
    }

    /** Qualified name of the view that the rows say they are of. */
    public String view() {
        return view;
    }
}
