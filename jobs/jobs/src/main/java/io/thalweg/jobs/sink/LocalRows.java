package io.thalweg.jobs.sink;

import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowJson;
import io.thalweg.model.view.FeatureView;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Where a job of this process writes its rows.
 *
 * <p><b>Threads.</b> Safe; each task opens a writer of its own.
 */
public interface LocalRows {
    /** Creates the writer of one task for the rows of a view. */
    BlockWriter open(FeatureView view);

    /** Writes blocks, each whole. */
    interface BlockWriter {
        void write(RowBlock block) throws IOException;
    }

    /** Writes rows as JSON lines; the caller flushes and closes the stream. */
    static LocalRows lines(OutputStream out) {
        return view -> {
            RowJson json = RowJson.of(view);
            return block -> {
                ByteArrayOutputStream lines = new ByteArrayOutputStream(1024 * block.rows());
                for (int row = 0; row < block.rows(); row++) {
                    json.write(block, row, lines);
                    lines.write('\n');
                }
                synchronized (out) {
                    lines.writeTo(out);
                }
            };
        };
    }
}
