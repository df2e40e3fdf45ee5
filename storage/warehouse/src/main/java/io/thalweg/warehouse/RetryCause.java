package io.thalweg.warehouse;

import java.util.Locale;

/** The reason that a request is retried. */
public enum RetryCause {
    /** The warehouse accepts no more rows for now. */
    QUOTA,
    /** The warehouse does not respond, or the connection has ended; the rows may have been written. */
    UNAVAILABLE,
    /** The warehouse failed, or ended the request for an internal reason. */
    INTERNAL,
    /** The warehouse refused some rows, and with them the others of the request, or those after it in the stream. */
    REFUSED_ROWS;

    /** The name in metrics. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
