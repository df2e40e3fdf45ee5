package io.thalweg.jobs.table;

import io.thalweg.jobs.CommitAccount;
import io.thalweg.tables.iceberg.IcebergTableScan;
import io.thalweg.tables.iceberg.IcebergTableWriter;
import io.thalweg.tables.iceberg.TableCommit;
import io.thalweg.tables.iceberg.TableCompactor;
import java.io.IOException;
import java.time.Instant;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.sink2.Committer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits in the order of the checkpoints. A failed commit fails the job, which commits again after its restart. Old snapshots
 * expire once an hour, and sooner if there are a tenth more than may be kept; a failure is retried an hour or as many snapshots
 * later. Rows past their retention are removed at the same times. The subtask that commits also compacts.
 */
final class TableCommitter implements Committer<TableCommit> {
    private static final Logger LOG = LoggerFactory.getLogger(TableCommitter.class);
    private static final long EXPIRE_NANOS = TimeUnit.HOURS.toNanos(1);

    private final TableSpec spec;
    private long expiredNanos = System.nanoTime() - EXPIRE_NANOS;
    private int snapshotsLeft;
    private @Nullable IcebergTableWriter table;
    private @Nullable CompactionThread compaction;

    TableCommitter(TableSpec spec) {
        this.spec = spec;
    }

    @Override
    public void commit(Collection<CommitRequest<TableCommit>> requests) throws IOException {
        for (CommitRequest<TableCommit> request : requests) {
            commit(opened(), request.getCommittable());
        }
        if (table != null && (System.nanoTime() - expiredNanos >= EXPIRE_NANOS || areTooMany(table.snapshots()))) {
            expiredNanos = System.nanoTime();
            removeOld(spec.retention());
            expire(table);
            snapshotsLeft = table.snapshots();
        }
    }

    /** Whether there are more snapshots than may be kept, and enough of them are new: tags and branches may keep the others. */
    private boolean areTooMany(int snapshots) {
        int most = spec.expiry().most();
        return snapshots - Math.max(most, snapshotsLeft) > most / 10;
    }

    /** Files, rows and bytes of an earlier run are committed but not counted. */
    private void commit(IcebergTableWriter into, TableCommit commit) throws IOException {
        CommitAccount counts = CommitAccount.of(spec.jobId());
        long begun = System.nanoTime();
        IcebergTableWriter.Appended appended = into.commit(commit);
        counts.committed(System.nanoTime() - begun);
        if (commit.run().equals(spec.run())) {
            counts.set(new CommitAccount.Sum(appended.files(), appended.rows(), appended.bytes()));
        }
    }

    /** Opens the table on the first commit, so that only the committing subtask does so. */
    private IcebergTableWriter opened() {
        IcebergTableWriter now = table;
        if (now == null) {
            now = IcebergTableWriter.open(spec.table(), spec.layout());
            table = now;
            compaction = compact(spec.compaction());
        }
        return now;
    }

    private @Nullable CompactionThread compact(TableSpec.@Nullable Compaction rule) {
        if (rule == null) {
            return null;
        }
        TableCompactor.Rule files = new TableCompactor.Rule(rule.below(), spec.targetFile(), spec.compression());
        return CompactionThread.start(
                spec.table().name(), rule.every(), () -> TableCompactor.open(spec.table(), files));
    }

    private void removeOld(TableSpec.@Nullable Retention rule) {
        if (rule == null) {
            return;
        }
        try (IcebergTableScan scan = IcebergTableScan.open(spec.table())) {
            scan.removeBefore(rule.column(), Instant.now().minus(rule.keep()));
        } catch (IOException | RuntimeException e) {
            LOG.warn(
                    "Old rows of {} could not be removed; trying again later",
                    spec.table().name(),
                    e);
        }
    }

    private void expire(IcebergTableWriter in) {
        try {
            in.expire(Instant.now().minus(spec.expiry().keep()), spec.expiry().most());
        } catch (RuntimeException e) {
            LOG.warn("Snapshots of {} could not be expired", spec.table().name(), e);
        }
    }

    @Override
    public void close() {
        if (compaction != null) {
            compaction.close();
        }
        if (table != null) {
            table.close();
        }
    }
}
