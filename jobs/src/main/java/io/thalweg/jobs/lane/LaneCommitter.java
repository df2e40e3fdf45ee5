package io.thalweg.jobs.lane;

import io.thalweg.warehouse.LaneCommit;
import io.thalweg.warehouse.LaneTable;
import io.thalweg.warehouse.LostCommitException;
import java.util.Collection;
import org.apache.flink.api.connector.sink2.Committer;
import org.jspecify.annotations.Nullable;

/** Makes the rows of a checkpoint visible. A failed commit fails the job, which commits again after its restart. */
final class LaneCommitter implements Committer<LaneCommit> {
    private final LaneSpec spec;
    private @Nullable LaneTable table;

    LaneCommitter(LaneSpec spec) {
        this.spec = spec;
    }

    @Override
    public void commit(Collection<CommitRequest<LaneCommit>> requests) {
        for (CommitRequest<LaneCommit> request : requests) {
            LaneTable into = table == null ? spec.table().open(spec.rows()) : table;
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
