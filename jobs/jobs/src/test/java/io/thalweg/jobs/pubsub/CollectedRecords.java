package io.thalweg.jobs.pubsub;

import io.thalweg.formats.file.RawRecords;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;

/** Keeps the ids of the records that a reader emits. */
final class CollectedRecords implements ReaderOutput<RawRecords> {
    private final List<String> ids = new ArrayList<>();

    List<String> ids() {
        return ids;
    }

    @Override
    public void collect(RawRecords records) {
        IntStream.range(0, records.size()).mapToObj(records::id).forEach(ids::add);
    }

    @Override
    public void collect(RawRecords records, long timestamp) {
        collect(records);
    }

    @Override
    public SourceOutput<RawRecords> createOutputForSplit(String splitId) {
        return this;
    }

    @Override
    public void releaseOutputForSplit(String splitId) {
        // There is only one output.
    }

    @Override
    public void emitWatermark(Watermark watermark) {
        throw new IllegalStateException("ingestion has no watermarks");
    }

    @Override
    public void markIdle() {
        throw new IllegalStateException("ingestion has no watermarks");
    }

    @Override
    public void markActive() {
        throw new IllegalStateException("ingestion has no watermarks");
    }
}
