package io.thalweg.jobs.ingest.file;

import io.thalweg.formats.file.RecordFile;
import io.thalweg.model.ingest.Ingest.Framing;
import io.thalweg.records.Limits;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import org.apache.flink.api.connector.source.SourceSplit;

/**
 * A file and the position up to which it has been read.
 *
 * @param path absolute
 * @param framing how its records are separated
 * @param bytes the size of the file
 * @param next the position of the next record, as counted by {@link RecordFile#next}
 */
public record FilePosition(String path, Framing framing, long bytes, long next) implements SourceSplit, Serializable {
    @Override
    public String splitId() {
        return path;
    }

    /**
     * Opens the file at this position.
     *
     * @throws IOException if it cannot be read; the message names it
     */
    public RecordFile open(Limits limits) throws IOException {
        return RecordFile.open(Path.of(path), framing, next, limits);
    }

    FilePosition at(long position) {
        return new FilePosition(path, framing, bytes, position);
    }
}
