package io.thalweg.jobs.table;

import io.thalweg.tables.iceberg.IcebergTableWriter;
import io.thalweg.tables.iceberg.TableCommit;
import java.io.IOException;
import java.util.Collection;
import org.apache.flink.api.connector.sink2.Committer;
import org.jspecify.annotations.Nullable;

/** Commits in the order of the checkpoints. A failure fails the job, which commits again after it has restarted. */
final class TableCommitter implements Committer<TableCommit> {
    private final TableSpec spec;
    private @Nullable IcebergTableWriter table;

    TableCommitter(TableSpec spec) {
        this.spec = spec;
    }

    @Override
    public void commit(Collection<CommitRequest<TableCommit>> requests) throws IOException {
        for (CommitRequest<TableCommit> request : requests) {
            IcebergTableWriter into = table == null ? IcebergTableWriter.open(spec.table(), spec.rows()) : table;
            table = into;
            into.commit(request.getCommittable());
        }
    }

    @Override
    public void close() {
        // The table holds nothing open.
    }
}
