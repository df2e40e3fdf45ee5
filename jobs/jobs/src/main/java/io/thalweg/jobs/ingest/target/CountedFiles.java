package io.thalweg.jobs.ingest.target;

import io.thalweg.jobs.CommitAccount;
import java.io.IOException;
import java.util.Collection;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.api.connector.sink2.CommitterInitContext;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.connector.file.sink.FileSinkCommittable;
import org.apache.flink.connector.file.sink.writer.FileWriterBucketState;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * Flink's file sink with counts of the rows and bytes it commits, taken from the footers of the files. Reading the footers of all
 * files at the end of a run would take long after some weeks.
 *
 * @param prefix the name prefix of the files to count; a run may also commit files of the previous run
 * @param jobId the key of the counts that this process shares with the job
 */
public record CountedFiles(FileSink<FolderRows> files, String prefix, String jobId)
        implements Sink<FolderRows>,
                SupportsWriterState<FolderRows, FileWriterBucketState>,
                SupportsCommitter<FileSinkCommittable> {
    private static final long serialVersionUID = 1L;

    @Override
    public StatefulSinkWriter<FolderRows, FileWriterBucketState> createWriter(WriterInitContext context)
            throws IOException {
        return files.createWriter(context);
    }

    @Override
    public StatefulSinkWriter<FolderRows, FileWriterBucketState> restoreWriter(
            WriterInitContext context, Collection<FileWriterBucketState> states) throws IOException {
        return files.restoreWriter(context, states);
    }

    @Override
    public SimpleVersionedSerializer<FileWriterBucketState> getWriterStateSerializer() {
        return files.getWriterStateSerializer();
    }

    @Override
    public Committer<FileSinkCommittable> createCommitter(CommitterInitContext context) throws IOException {
        return new CountingCommitter(files.createCommitter(context), prefix, CommitAccount.of(jobId));
    }

    @Override
    public SimpleVersionedSerializer<FileSinkCommittable> getCommittableSerializer() {
        return files.getCommittableSerializer();
    }

    /** An unreadable footer fails the commit, which is then retried. */
    @SuppressWarnings("try") // inherited: close() throws Exception
    private record CountingCommitter(Committer<FileSinkCommittable> files, String prefix, CommitAccount counts)
            implements Committer<FileSinkCommittable> {
        @Override
        public void commit(Collection<CommitRequest<FileSinkCommittable>> requests)
                throws IOException, InterruptedException {
            long begun = System.nanoTime();
            files.commit(requests);
            for (CommitRequest<FileSinkCommittable> request : requests) {
                FileSinkCommittable committed = request.getCommittable();
                Path file =
                        committed.hasPendingFile() ? committed.getPendingFile().getPath() : null;
                if (file != null && file.getName().startsWith(prefix) && !counts.has(file.toString())) {
                    WrittenFiles written = WrittenFiles.of(file);
                    counts.add(file.toString(), written.rows(), written.bytes());
                }
            }
            counts.committed(System.nanoTime() - begun);
        }

        @Override
        public void close() throws Exception {
            files.close();
        }
    }
}
