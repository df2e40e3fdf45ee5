package io.thalweg.jobs.ingest;

import io.thalweg.formats.file.RecordFile;
import io.thalweg.model.Ingest.Framing;
import io.thalweg.records.Limits;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import org.apache.flink.api.connector.source.SourceSplit;

/**
 * A file and how far it is read.
 *
 * @param path absolute
 * @param framing how its records are separated
 * @param bytes of the file
 * @param next the position of the next record, as {@link RecordFile#next} counts
 */
record FilePosition(String path, Framing framing, long bytes, long next) implements SourceSplit, Serializable {
    @Override
    public String splitId() {
        return path;
    }

    /**
     * Opens the file where it was read to.
     *
     * @throws IOException if it cannot be read; the message names it
     */
    RecordFile open(Limits limits) throws IOException {
        return RecordFile.open(Path.of(path), framing, next, limits);
    }

    FilePosition at(long position) {
        return new FilePosition(path, framing, bytes, position);
    }
}
