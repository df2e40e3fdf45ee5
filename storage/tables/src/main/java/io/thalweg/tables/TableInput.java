package io.thalweg.tables;

import io.thalweg.formats.EventColumns;
import io.thalweg.formats.TimeForm;
import java.io.Closeable;
import java.io.IOException;

/** Rows of a split as columns of a projection. <b>Threads.</b> One. */
interface TableInput extends Closeable {
    /** Appends up to {@code most} rows and returns how many; fewer only at the end of the split. */
    int read(int most, EventColumns into) throws IOException;

    /** Skips up to {@code rows} rows. */
    void skip(long rows) throws IOException;

    /** The unit and zone of a column's times according to its type. */
    TimeForm timeForm(int column);

    /** Returns roughly the share of the split that is read, from 0 to 1. */
    double done();
}
