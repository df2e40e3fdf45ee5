package io.thalweg.tables.iceberg;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.tables.ParquetFileBuilder;
import io.thalweg.tables.ParquetSchemas;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.AppendFiles;
import org.apache.iceberg.ContentFileParser;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.PartitionField;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.Transaction;
import org.apache.iceberg.UpdateSchema;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.RESTException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.util.SnapshotUtil;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends to an Iceberg table, exactly once: a commit carries a stamp, and the table itself refuses it if the stamp is in its
 * history. So a commit leaves one snapshot even if its response was lost or a later attempt repeats it. The last commit of each writer
 * is also a property of the table, so that a job which was stopped for longer than snapshots are kept recognizes it.
 *
 * <p><b>Threads.</b> One.
 */
public final class IcebergTableWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(IcebergTableWriter.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String WRITER = "thalweg.writer";
    private static final String RUN = "thalweg.run";
    private static final String RUN_FILES = "thalweg.run-files";
    private static final String RUN_ROWS = "thalweg.run-rows";
    private static final String RUN_BYTES = "thalweg.run-bytes";
    private static final String LINEAGE = "thalweg.lineage";
    private static final String STAMP = "thalweg.commit";
    private static final String CHECKPOINT = "thalweg.checkpoint";
    /**
     * Prefix of the properties that keep the last commit of each writer, as the JSON of its snapshot's summary. They are still there
     * when the snapshot has expired.
     */
    private static final String LAST_COMMIT = "thalweg.last-commit.";
    /** The sequence number of a snapshot before a last commit: of its parent, or of an earlier one if it was retried. */
    private static final String AFTER = "thalweg.after";

    /**
     * Attempts of a commit while the catalog is unreachable or other writers are faster: about two minutes, then the
     * job restarts.
     */
    private static final int COMMIT_ATTEMPTS = 30;

    private static final int SCHEMA_ATTEMPTS = 10;
    private static final long FIRST_WAIT_MS = 100;
    private static final long LONGEST_WAIT_MS = 5_000;

    private final CatalogTable opened;
    private final Table table;
    private final TableLayout layout;
    private final int attempts;

    IcebergTableWriter(CatalogTable opened, TableLayout layout, int attempts) {
        this.opened = opened;
        table = opened.table();
        this.layout = layout;
        this.attempts = attempts;
    }

    /**
     * Whether the table of an address exists.
     *
     * @throws CatalogAwayException if the catalog cannot be reached
     */
    public static boolean exists(TableAddress address) {
        return CatalogTable.exists(address);
    }

    /**
     * Opens the table of an address, or creates it if there is none.
     *
     * @throws IcebergTableMismatchException if rows of this layout cannot be written to the table; the message lists all differences
     */
    public static IcebergTableWriter open(TableAddress address, TableLayout layout) {
        Schema schema = IcebergSchemas.of(layout.rows());
        CatalogTable opened = CatalogTable.openOrCreate(address, schema, Partitioner.spec(schema, layout.partitions()));
        Table table = opened.table();
        if (layout.addsColumns()) {
            addColumns(schema, table);
        }
        List<String> differences = new ArrayList<>(IcebergSchemas.differences(schema, table.schema()));
        differences.addAll(partitionDifferences(table, layout.partitions()));
        if (!LocalFileIO.isLocal(table.location())) {
            differences.add("its files are in " + table.location()
                    + ", and only those of this machine, file:/..., can be written in this version");
        }
        IcebergTableWriter writer = new IcebergTableWriter(opened, layout, COMMIT_ATTEMPTS);
        if (!differences.isEmpty()) {
            writer.close();
            throw new IcebergTableMismatchException(address, differences);
        }
        return writer;
    }

    /** Adds the columns that a table lacks, as optional ones, because its rows do not have them. */
    private static void addColumns(Schema rows, Table table) {
        for (int attempt = 1; ; attempt++) {
            List<IcebergSchemas.Missing> missing = IcebergSchemas.missing(rows, table.schema());
            if (missing.isEmpty()) {
                return;
            }
            UpdateSchema update = table.updateSchema();
            missing.forEach(each -> update.addColumn(
                    each.parent(), each.column().name(), each.column().type()));
            try {
                update.commit();
                LOG.info("Added columns to {}: {}", table.name(), missing);
                return;
            } catch (CommitFailedException e) {
                if (attempt == SCHEMA_ATTEMPTS) {
                    throw e;
                }
                table.refresh(); // another writer was faster, perhaps with the same columns
            }
        }
    }

    /**
     * Compares the partitioning: columns and transforms must be the same, in the same order; the names of partitions do
     * not matter.
     */
    private static List<String> partitionDifferences(Table table, List<PartitionRule> rules) {
        List<String> there =
                table.spec().fields().stream().map(field -> text(table, field)).toList();
        List<String> wanted;
        try {
            wanted = Partitioner.spec(table.schema(), rules).fields().stream()
                    .map(field -> text(table, field))
                    .toList();
        } catch (SchemaException e) {
            return List.of(); // a column is missing, which was reported before
        }
        return there.equals(wanted)
                ? List.of()
                : List.of("the table is partitioned by %s, but rows are written by %s".formatted(there, wanted));
    }

    private static String text(Table table, PartitionField field) {
        String column = String.valueOf(table.schema().findColumnName(field.sourceId()));
        return field.transform().isIdentity() ? column : field.transform() + "(" + column + ")";
    }

    /** Returns the schema of a new table of these rows in readable form. */
    public static String schemaText(Struct rows) {
        return IcebergSchemas.of(rows).toString();
    }

    /**
     * Creates a data file in the table's folder.
     *
     * @param prefix of its name
     * @param partition of the layout; all rows of the file belong to it
     * @param rowGroupBytes the bytes in memory after which a row group is written
     */
    public DataFileWriter newFile(
            String prefix, Partition partition, ParquetFileBuilder.Compression compression, long rowGroupBytes)
            throws IOException {
        return new DataFileWriter(
                DataFileNames.location(table, table.spec(), partition, prefix),
                table.spec(),
                partition,
                FieldIds.in(table.schema(), ParquetSchemas.of(layout.rows())),
                compression,
                rowGroupBytes);
    }

    /**
     * Appends the files of a commit, unless that was done before. Retries for about two minutes if the outcome is unknown, the
     * catalog is unreachable, or other writers are faster.
     *
     * @return the sum over all commits of the run so far
     * @throws IOException if that failed, and may be retried
     */
    public Appended commit(TableCommit commit) throws IOException {
        RuntimeException refused = null;
        long waitMs = FIRST_WAIT_MS;
        for (int attempt = 1; ; attempt++) {
            try {
                if (isThereNow(commit)) {
                    LOG.info("Commit {} of {} was there already", commit.stamp(), table.name());
                    return appendedAsOfNow(commit.run());
                }
                if (refused != null) {
                    throw new IOException(
                            "commit to " + table.name() + " was refused: " + refused.getMessage(), refused);
                }
                append(commit).commitTransaction();
                return appendedAsOfNow(commit.run());
            } catch (ValidationException e) {
                refused = e; // by its own stamp, which is then in the history
            } catch (CommitStateUnknownException | CommitFailedException | RESTException e) {
                if (attempt >= attempts) {
                    throw new IOException("commit to " + table.name() + " failed: " + e.getMessage(), e);
                }
                LOG.warn("Commit {} to {} is not done; looking again", commit.stamp(), table.name(), e);
                sleep(waitMs);
                waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
            }
        }
    }

    private static void sleep(long waitMs) throws IOException {
        try {
            Thread.sleep(waitMs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("the job was stopped while it committed", e);
        }
    }

    private Transaction append(TableCommit commit) throws IOException {
        Transaction both = table.newTransaction();
        Appended sum = appendedAsOfNow(commit.run());
        Map<Integer, PartitionSpec> specs = table.specs();
        AppendFiles append = both.newAppend();
        for (String json : commit.files()) {
            DataFile file = (DataFile) ContentFileParser.fromJson(JSON.readTree(json), specs);
            append.appendFile(file);
            sum = sum.plus(file);
        }
        Map<String, String> summary = summary(commit, sum);
        summary.forEach(append::set);
        append.validateWith(ancestors -> !has(ancestors, commit.stamp())).commit();
        Snapshot now = table.currentSnapshot();
        summary.put(AFTER, Long.toString(now == null ? 0 : now.sequenceNumber()));
        both.updateProperties()
                .set(LAST_COMMIT + commit.writer(), JSON.writeValueAsString(summary))
                .commit();
        return both;
    }

    private static Map<String, String> summary(TableCommit commit, Appended sum) {
        Map<String, String> summary = new LinkedHashMap<>();
        summary.put(WRITER, commit.writer());
        summary.put(RUN, commit.run());
        summary.put(RUN_FILES, Long.toString(sum.files()));
        summary.put(RUN_ROWS, Long.toString(sum.rows()));
        summary.put(RUN_BYTES, Long.toString(sum.bytes()));
        summary.put(LINEAGE, commit.lineage());
        summary.put(STAMP, commit.stamp());
        summary.put(CHECKPOINT, Long.toString(commit.checkpoint()));
        return summary;
    }

    private boolean isThereNow(TableCommit commit) {
        table.refresh();
        return has(SnapshotUtil.currentAncestors(table), commit.stamp())
                || expired().stream().anyMatch(last -> isUpTo(commit, last));
    }

    /** Whether a commit is a writer's last one or an earlier one of the same attempt, which commits in the order of its checkpoints. */
    private static boolean isUpTo(TableCommit commit, Map<String, String> last) {
        return commit.attempt().equals(TableCommit.attempt(last.getOrDefault(STAMP, "")))
                && commit.checkpoint() <= checkpoint(last);
    }

    private static long checkpoint(Map<String, String> summary) {
        return Long.parseLong(summary.getOrDefault(CHECKPOINT, "0"));
    }

    /**
     * Returns the summaries of the last commits whose snapshots may have expired. A commit is not in the table if the table was rolled
     * back to a snapshot before it; then the history reaches to where the commit was made, and does not contain it.
     */
    private List<Map<String, String>> expired() {
        Snapshot oldest = null;
        for (Snapshot snapshot : SnapshotUtil.currentAncestors(table)) {
            oldest = snapshot;
        }
        if (oldest == null || oldest.parentId() == null) {
            return List.of(); // the history is complete
        }
        List<Map<String, String>> expired = new ArrayList<>();
        for (Map.Entry<String, String> property : table.properties().entrySet()) {
            if (property.getKey().startsWith(LAST_COMMIT)) {
                Map<String, String> last = parse(property);
                if (Long.parseLong(last.getOrDefault(AFTER, "0")) < oldest.sequenceNumber()) {
                    expired.add(last);
                }
            }
        }
        return expired;
    }

    private Map<String, String> parse(Map.Entry<String, String> property) {
        try {
            return JSON.readValue(property.getValue(), new TypeReference<Map<String, String>>() {});
        } catch (IOException e) {
            throw new IllegalStateException(
                    "property %s of table %s is not the JSON that ingests write: %s; restore it, or remove it if no job that writes the table will resume"
                            .formatted(property.getKey(), table.name(), property.getValue()),
                    e);
        }
    }

    private static boolean has(Iterable<Snapshot> ancestors, String stamp) {
        for (Snapshot snapshot : ancestors) {
            if (stamp.equals(snapshot.summary().get(STAMP))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Requires that the table contains no commit of a lineage that is later than the checkpoint being restored: its rows would be
     * written again.
     *
     * @param restored number of the checkpoint
     * @throws IllegalStateException if there is one; the message names the snapshot to go back to
     */
    public void requireNothingBehind(String lineage, long restored) {
        table.refresh();
        Snapshot oldest = null;
        Snapshot goBackTo = null;
        boolean behind = false;
        for (Snapshot snapshot : SnapshotUtil.currentAncestors(table)) {
            oldest = snapshot;
            if (isBehind(snapshot.summary(), lineage, restored)) {
                behind = true;
                goBackTo = null;
            } else if (goBackTo == null) {
                goBackTo = snapshot;
            }
        }
        if (expired().stream().anyMatch(last -> isBehind(last, lineage, restored)) && !behind) {
            behind = true;
            goBackTo = null; // all others are later
        }
        if (behind) {
            throw new IllegalStateException(
                    "table %s has rows that were written after checkpoint %d, from which this run resumes; they would be written twice. Resume from the newest checkpoint%s"
                            .formatted(table.name(), restored, remedy(goBackTo, oldest)));
        }
    }

    private static boolean isBehind(Map<String, String> summary, String lineage, long restored) {
        return lineage.equals(summary.get(LINEAGE)) && checkpoint(summary) > restored;
    }

    private static String remedy(@Nullable Snapshot goBackTo, @Nullable Snapshot oldest) {
        if (goBackTo != null) {
            return ", or first roll the table back to snapshot " + goBackTo.snapshotId();
        }
        return oldest != null && oldest.parentId() != null
                ? "; the table cannot be rolled back, because its snapshots from before these rows have expired"
                : ", or first roll the table back to the time before its first row";
    }

    /**
     * The total that a run has appended.
     *
     * @param files number of data files
     * @param rows rows in them
     * @param bytes of them
     */
    public record Appended(long files, long rows, long bytes) {
        private static final Appended NOTHING = new Appended(0, 0, 0);

        private static Appended of(Map<String, String> summary) {
            return new Appended(
                    Long.parseLong(summary.getOrDefault(RUN_FILES, "0")),
                    Long.parseLong(summary.getOrDefault(RUN_ROWS, "0")),
                    Long.parseLong(summary.getOrDefault(RUN_BYTES, "0")));
        }

        private Appended plus(DataFile file) {
            return new Appended(files + 1, rows + file.recordCount(), bytes + file.fileSizeInBytes());
        }
    }

    /** Returns the sum over all commits of a run. Each of its snapshots carries the sum so far, so that they may expire. */
    public Appended appended(String run) {
        table.refresh();
        return appendedAsOfNow(run);
    }

    private Appended appendedAsOfNow(String run) {
        for (Snapshot snapshot : SnapshotUtil.currentAncestors(table)) {
            if (run.equals(snapshot.summary().get(RUN))) {
                return Appended.of(snapshot.summary());
            }
        }
        return expired().stream()
                .filter(last -> run.equals(last.get(RUN)))
                .findAny()
                .map(Appended::of)
                .orElse(Appended.NOTHING);
    }

    /** Returns the number of snapshots as of the last commit. */
    public int snapshots() {
        int count = 0;
        for (var unused : table.snapshots()) {
            count++;
        }
        return count;
    }

    /**
     * Removes snapshots older than a time, and the oldest of more than a number, except the current one, with the files that only
     * they reference.
     */
    public void expire(Instant before, int most) {
        table.refresh();
        long olderThanMs = before.toEpochMilli();
        int count = 0;
        for (Snapshot snapshot : SnapshotUtil.currentAncestors(table)) {
            count++;
            if (count == most) {
                olderThanMs = Math.max(olderThanMs, snapshot.timestampMillis());
                break;
            }
        }
        table.expireSnapshots().expireOlderThan(olderThanMs).retainLast(1).commit();
    }

    /** Closes the connection to the catalog. */
    @Override
    public void close() {
        try {
            opened.close();
        } catch (IOException e) {
            LOG.warn("The catalog of {} cannot be closed", table.name(), e);
        }
    }
}
