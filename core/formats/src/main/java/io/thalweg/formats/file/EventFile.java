package io.thalweg.formats.file;

import io.thalweg.formats.EventColumns;
import java.io.Closeable;
import java.io.IOException;

/**
 * Reads the events of a file of any format, one after the other.
 *
 * <p><b>Raw bytes</b> of events that were appended stay valid.
 *
 * <p><b>Threads.</b> One.
 */
public interface EventFile extends Closeable {
    /**
     * Appends the next event.
     *
     * @return false at the end of the file
     * @throws IOException if the file cannot be read; the message names it
     * @throws IllegalArgumentException if it is CSV and its header is not well-formed; the message names it
     */
    boolean next(EventColumns into) throws IOException;
}
