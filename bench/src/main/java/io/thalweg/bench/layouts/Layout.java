package io.thalweg.bench.layouts;

import io.thalweg.bench.publish.DemandRows;
import io.thalweg.model.row.HexRowBlock;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A way to keep rows of {@link DemandRows#VIEW} in a store. <b>Threads.</b> One. */
interface Layout extends AutoCloseable {
    /** Writes a block; returns when the store has taken all of it. */
    void write(HexRowBlock block) throws IOException;

    /** The features of cells, in the order asked; null where there is no row. */
    List<double @Nullable []> read(long[] cells) throws IOException;

    @Override
    void close() throws IOException;
}
