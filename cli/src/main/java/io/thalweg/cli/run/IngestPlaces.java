package io.thalweg.cli.run;

import io.thalweg.jobs.ingest.WrittenFiles;
import io.thalweg.model.Ingest;
import java.io.IOException;
import java.nio.file.Path;

/** The places that ingests write to. */
final class IngestPlaces {
    private IngestPlaces() {}

    /**
     * Requires that a sink can be written to.
     *
     * @throws io.thalweg.cli.UserError if it cannot
     */
    static void require(Ingest.Sink sink) {
        if (sink instanceof Ingest.ParquetSink parquet && !parquet.folder().contains("://")) {
            WritablePlaces.requireFolder("sink.parquet", Path.of(parquet.folder()));
        }
    }

    /** What a run has written, by what is there to be read. */
    static WrittenFiles written(Ingest.Sink sink, String run) throws IOException {
        if (sink instanceof Ingest.ParquetSink parquet) {
            return WrittenFiles.of(parquet.folder(), run + "-");
        }
        throw new IllegalStateException("unknown sink " + sink);
    }
}
