package io.thalweg.jobs.load;

import java.util.Locale;

/** Why a record or a row went to the dead letters. The texts are the same in letters and metrics, and final. */
public enum Poison {
    /** Its bytes are neither rows nor progress. */
    UNDECODABLE,
    /** It is another view's. */
    WRONG_VIEW,
    /** It was written with other entities, rings, measures or windows than the view has. */
    WRONG_LAYOUT,
    /** The store will not take it, now or later. */
    REFUSED;

    private final String text = name().toLowerCase(Locale.ROOT);

    /** As in letters and metrics: {@code wrong_view}. */
    public String text() {
        return text;
    }
}
