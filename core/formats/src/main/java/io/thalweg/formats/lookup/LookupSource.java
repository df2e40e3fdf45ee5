package io.thalweg.formats.lookup;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The source of the rows of a {@link LookupTable}.
 *
 * <p><b>Threads.</b> One at a time.
 */
public interface LookupSource {
    /** The name of the source in messages, without secrets. */
    String name();

    /**
     * Reads the whole table.
     *
     * @param into receives the rows; the last one of a duplicate key wins
     * @throws IOException if the source cannot be read or is not a table; the message says what and where
     */
    void read(LookupRows into) throws IOException;

    /**
     * Returns a value that changes whenever the table does, so that an unchanged table is not read again; null if unknown.
     *
     * @throws IOException if the source cannot be reached
     */
    default @Nullable Object version() throws IOException {
        return null;
    }
}
