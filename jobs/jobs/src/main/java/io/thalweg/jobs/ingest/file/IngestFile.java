package io.thalweg.jobs.ingest.file;

import io.thalweg.model.ingest.Ingest.Framing;

/**
 * A file to read.
 *
 * @param path absolute
 * @param framing how its records are separated
 */
public record IngestFile(String path, Framing framing, long bytes) {
    public FilePosition beginning() {
        return new FilePosition(path, framing, bytes, 0);
    }
}
