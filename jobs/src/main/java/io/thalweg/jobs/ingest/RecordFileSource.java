package io.thalweg.jobs.ingest;

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
 * The records of files, from beginning to end. Readers take files as they come to need them; checkpoints have the files that are
 * left and how far each reader is in its own.
 *
 * @param files of a run that begins; one that resumes has its own
 * @param jobId names what this process shares with the job: the gate that its records pass, if there is one
 */
record RecordFileSource(List<FilePosition> files, Limits limits, String jobId)
        implements Source<RawRecords, FilePosition, List<FilePosition>> {
    RecordFileSource {
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
