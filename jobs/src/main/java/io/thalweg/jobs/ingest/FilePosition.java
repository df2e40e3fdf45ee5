package io.thalweg.jobs.ingest;

import io.thalweg.model.Ingest.Framing;
import java.io.Serializable;
import org.apache.flink.api.connector.source.SourceSplit;

/**
 * A file and how far it is read.
 *
 * @param path absolute
 * @param framing how its records are told apart
 * @param bytes of the file
 * @param next the position of the next record, as {@link RecordFile#next} counts
 */
record FilePosition(String path, Framing framing, long bytes, long next) implements SourceSplit, Serializable {
    @Override
    public String splitId() {
        return path;
    }

    FilePosition at(long position) {
        return new FilePosition(path, framing, bytes, position);
    }
}
