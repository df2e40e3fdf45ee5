package io.thalweg.bench.layouts;

import io.thalweg.bench.publish.DemandRows;
import io.thalweg.model.row.HexRowBlock;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A way to store rows of {@link DemandRows#VIEW}. <b>Threads.</b> One. */
interface Layout extends AutoCloseable {
    /** Writes a block; returns when the store has acknowledged all of it. */
    void write(HexRowBlock block) throws IOException;

    /** Returns the features of cells, in the order given; null where there is no row. */
    List<double @Nullable []> read(long[] cells) throws IOException;

    @Override
    void close() throws IOException;
}
