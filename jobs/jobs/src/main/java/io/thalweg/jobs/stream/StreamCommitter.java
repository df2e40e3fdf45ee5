package io.thalweg.jobs.stream;

import io.thalweg.warehouse.LostCommitException;
import io.thalweg.warehouse.StreamCommit;
import io.thalweg.warehouse.StreamTable;
import java.util.Collection;
import org.apache.flink.api.connector.sink2.Committer;
import org.jspecify.annotations.Nullable;

/** Makes the rows of a checkpoint visible. A failed commit fails the job, which commits again after its restart. */
final class StreamCommitter implements Committer<StreamCommit> {
    private final StreamSpec spec;
    private @Nullable StreamTable table;

    StreamCommitter(StreamSpec spec) {
        this.spec = spec;
    }

    @Override
    public void commit(Collection<CommitRequest<StreamCommit>> requests) {
        for (CommitRequest<StreamCommit> request : requests) {
            StreamTable into = table == null ? spec.table().open(spec.rows()) : table;
            table = into;
            try {
                into.commit(request.getCommittable());
            } catch (LostCommitException e) {
                throw new LostRowsException(e);
            }
        }
    }

    @Override
    public void close() {
        if (table != null) {
            table.close();
        }
    }
}
