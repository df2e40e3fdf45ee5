package io.thalweg.jobs.ingest.file;

import io.thalweg.formats.file.RawRecords;
import io.thalweg.jobs.file.FileGate;
import io.thalweg.jobs.split.SplitQueue;
import io.thalweg.records.Limits;
import java.util.List;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * A bounded source of the records of files. Readers request files on demand. Checkpoints hold the remaining files and each reader's
 * position in its current file.
 *
 * @param files the files of a new run; a resumed run takes them from its checkpoint
 * @param jobId the key of the gate that this process shares with the job, if there is one
 */
public record RecordFileSource(List<FilePosition> files, Limits limits, String jobId)
        implements Source<RawRecords, FilePosition, List<FilePosition>> {
    public RecordFileSource {
        files = List.copyOf(files);
    }

    @Override
    public Boundedness getBoundedness() {
        return Boundedness.BOUNDED;
    }

    @Override
    public SourceReader<RawRecords, FilePosition> createReader(SourceReaderContext context) {
        return new RecordFileReader(context, limits, FileGate.of(jobId));
    }

    @Override
    public SplitEnumerator<FilePosition, List<FilePosition>> createEnumerator(
            SplitEnumeratorContext<FilePosition> context) {
        return restoreEnumerator(context, files);
    }

    @Override
    public SplitEnumerator<FilePosition, List<FilePosition>> restoreEnumerator(
            SplitEnumeratorContext<FilePosition> context, List<FilePosition> left) {
        return new SplitQueue<>(context, left, rest -> {});
    }

    @Override
    public SimpleVersionedSerializer<FilePosition> getSplitSerializer() {
        return new FilePositionSerializer();
    }

    @Override
    public SimpleVersionedSerializer<List<FilePosition>> getEnumeratorCheckpointSerializer() {
        return FilePositionSerializer.LIST;
    }
}
