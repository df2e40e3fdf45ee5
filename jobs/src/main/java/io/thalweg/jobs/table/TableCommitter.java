package io.thalweg.jobs.table;

import io.thalweg.tables.iceberg.IcebergTableWriter;
import io.thalweg.tables.iceberg.TableCommit;
import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.sink2.Committer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits in the order of the checkpoints. A failure fails the job, which commits again after it has restarted. Once an hour, old
 * snapshots expire; where that fails, it is tried again an hour later.
 */
final class TableCommitter implements Committer<TableCommit> {
    private static final Logger LOG = LoggerFactory.getLogger(TableCommitter.class);
    private static final long EXPIRE_NANOS = TimeUnit.HOURS.toNanos(1);

    private final TableSpec spec;
    private long expiredNanos = System.nanoTime() - EXPIRE_NANOS;
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
        if (table != null && System.nanoTime() - expiredNanos >= EXPIRE_NANOS) {
            expiredNanos = System.nanoTime();
            expire(table);
        }
    }

    private void expire(IcebergTableWriter in) {
        try {
            in.expire(Instant.now().minus(spec.keepSnapshots()));
        } catch (RuntimeException e) {
            LOG.warn("Snapshots of {} could not be expired", spec.table().name(), e);
        }
    }

    @Override
    public void close() {
        // The table holds nothing open.
    }
}
