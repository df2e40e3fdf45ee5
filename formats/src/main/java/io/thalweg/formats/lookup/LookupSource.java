package io.thalweg.formats.lookup;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Where a {@link LookupTable} has its rows from.
 *
 * <p><b>Threads.</b> One at a time.
 */
public interface LookupSource {
    /** The name of the source in messages, without secrets. */
    String name();

    /**
     * Reads the whole table.
     *
     * @param into takes the rows; of a key that comes twice the last one counts
     * @throws IOException if the source cannot be read or is not a table; the message says what and where
     */
    void read(LookupRows into) throws IOException;

    /**
     * What changes whenever the table does, so that one that stayed the same is not read again; null where that is not known.
     *
     * @throws IOException if the source cannot be reached
     */
    default @Nullable Object version() throws IOException {
        return null;
    }
}
