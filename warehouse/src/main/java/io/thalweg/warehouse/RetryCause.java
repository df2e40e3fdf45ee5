package io.thalweg.warehouse;

import java.util.Locale;

/** Why a request is sent again. */
public enum RetryCause {
    /** The warehouse takes no more for now. */
    QUOTA,
    /** It does not answer, or the connection has ended; the rows may be there. */
    UNAVAILABLE,
    /** It has failed, or has ended the request for a reason of its own. */
    INTERNAL,
    /** It has refused some rows, and with them the others of the request, or those behind it in the stream. */
    REFUSED_ROWS;

    /** As in metrics. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
