package io.thalweg.tables.iceberg;

import io.thalweg.tables.ParquetFileBuilder.Compression;
import io.thalweg.tables.ParquetMerger;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.iceberg.BaseTable;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileFormat;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.StructLike;
import org.apache.iceberg.Table;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.util.StructLikeWrapper;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.io.ParquetDecodingException;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rewrites small data files of a table into larger ones with the same rows, while other writers append to it.
 *
 * <p><b>Conflicts.</b> Appends do not conflict. If another writer meanwhile removes one of its files or deletes rows from it, the table
 * refuses the new files, which are removed; the next pass starts from the table as it is then.
 *
 * <p><b>Left alone.</b> Files in formats other than Parquet, encrypted or sorted ones, files with deleted rows, and tables of format
 * version 3, whose rows have ids that a rewrite would have to keep.
 *
 * <p><b>Memory.</b> That of a {@link ParquetMerger} whose files are small, and the descriptions of {@value #MOST_FILES} files.
 *
 * <p><b>Threads.</b> One; any number of writers to the same table.
 */
public final class TableCompactor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TableCompactor.class);
    private static final int MOST_FILES = 20_000;
    private static final long ROW_GROUP_BYTES = 64L << 20;
    /** A commit covers at least this many bytes if there are as many, so that a pass over a large table is not lost as a whole. */
    private static final long COMMIT_BYTES = 1L << 30;

    private static final int LAST_VERSION = 2;

    private final CatalogTable opened;
    private final Table table;
    private final Rule rule;

    /**
     * The files that are rewritten, and the form of the new ones.
     *
     * @param below smaller files are rewritten; bytes
     * @param targetFile approximate size of the new files, at least {@code below}; bytes
     */
    public record Rule(long below, long targetFile, Compression compression) {}

    /**
     * The result of a pass.
     *
     * @param before files that were rewritten
     * @param after files that replaced them
     * @param bytes of the new files
     */
    public record Compacted(int before, int after, long bytes) {
        private static final Compacted NOTHING = new Compacted(0, 0, 0);

        /** Returns the sum of two results. */
        public Compacted plus(Compacted more) {
            return new Compacted(before + more.before, after + more.after, bytes + more.bytes);
        }
    }

    private TableCompactor(CatalogTable opened, Rule rule) {
        this.opened = opened;
        table = opened.table();
        this.rule = rule;
    }

    /** Opens an existing table. */
    public static TableCompactor open(TableAddress address, Rule rule) {
        return new TableCompactor(CatalogTable.open(address), rule);
    }

    /**
     * Reads the table's current files once, and rewrites those that qualify.
     *
     * @param betweenRows called every few thousand rows; an exception aborts the pass
     * @throws IOException if the table cannot be read or written
     */
    public Compacted compact(Runnable betweenRows) throws IOException {
        table.refresh();
        Snapshot from = table.currentSnapshot();
        if (from == null || version() > LAST_VERSION) {
            return Compacted.NOTHING;
        }
        Compacted done = Compacted.NOTHING;
        try (Batch batch = new Batch(from, betweenRows)) {
            for (List<DataFile> group : smallFiles(from)) {
                for (List<DataFile> files : worthwhile(group)) {
                    batch.rewrite(files);
                    if (batch.bytes >= COMMIT_BYTES) {
                        done = done.plus(batch.commit());
                    }
                }
            }
            return done.plus(batch.commit());
        } catch (ValidationException | CommitFailedException e) {
            LOG.info("Compaction of {} gives way to another writer: {}", table.name(), e.getMessage());
            return done;
        }
    }

    @Override
    public void close() throws IOException {
        opened.close();
    }

    private int version() {
        return table instanceof BaseTable base ? base.operations().current().formatVersion() : LAST_VERSION;
    }

    private record PartitionKey(int spec, StructLikeWrapper values) {}

    /** Returns the small files of each partition. */
    private Collection<List<DataFile>> smallFiles(Snapshot snapshot) throws IOException {
        Map<PartitionKey, List<DataFile>> small = new LinkedHashMap<>();
        int left = MOST_FILES;
        try (CloseableIterable<FileScanTask> tasks =
                table.newScan().useSnapshot(snapshot.snapshotId()).planFiles()) {
            for (FileScanTask task : tasks) {
                if (isSmall(task)) {
                    DataFile file = task.file().copyWithoutStats();
                    small.computeIfAbsent(partition(file), partition -> new ArrayList<>())
                            .add(file);
                    if (--left == 0) {
                        break;
                    }
                }
            }
        }
        return small.values();
    }

    private boolean isSmall(FileScanTask task) {
        DataFile file = task.file();
        Integer sortOrder = file.sortOrderId();
        return file.fileSizeInBytes() < rule.below
                && file.format() == FileFormat.PARQUET
                && task.deletes().isEmpty()
                && file.keyMetadata() == null
                && (sortOrder == null || sortOrder == 0);
    }

    private PartitionKey partition(DataFile file) {
        PartitionSpec spec = Objects.requireNonNull(table.specs().get(file.specId()));
        return new PartitionKey(
                file.specId(), StructLikeWrapper.forType(spec.partitionType()).set(file.partition()));
    }

    /** Splits the files of a partition into groups, each of which becomes one file. */
    private List<List<DataFile>> worthwhile(List<DataFile> files) {
        List<DataFile> bySize = new ArrayList<>(files);
        bySize.sort(Comparator.comparingLong(DataFile::fileSizeInBytes));
        List<List<DataFile>> groups = new ArrayList<>();
        List<DataFile> group = new ArrayList<>();
        long bytes = 0;
        for (DataFile file : bySize) {
            group.add(file);
            bytes += file.fileSizeInBytes();
            if (bytes >= rule.targetFile) {
                groups.add(group);
                group = new ArrayList<>();
                bytes = 0;
            }
        }
        groups.add(group);
        groups.forEach(TableCompactor::trim);
        groups.removeIf(each -> each.size() < 2);
        return groups;
    }

    /**
     * Removes the largest files while they are more than twice as large as all others together. So a file always becomes part of
     * one at least half as large again, which bounds how often a byte is rewritten before its file reaches the rule's size.
     *
     * @param bySize files, smallest first
     */
    private static void trim(List<DataFile> bySize) {
        long others = bySize.stream().mapToLong(DataFile::fileSizeInBytes).sum();
        for (int last = bySize.size() - 1; last >= 0; last--) {
            long largest = bySize.get(last).fileSizeInBytes();
            others -= largest;
            if (largest <= 2 * others) {
                return;
            }
            bySize.remove(last);
        }
    }

    /** Rewritten files that are not committed yet. */
    private final class Batch implements AutoCloseable {
        private final Snapshot from;
        private final Runnable betweenRows;
        private final Set<DataFile> removed = new HashSet<>();
        private final Set<DataFile> added = new HashSet<>();
        private long bytes;

        Batch(Snapshot from, Runnable betweenRows) {
            this.from = from;
            this.betweenRows = betweenRows;
        }

        /** Rewrites files of one partition; unreadable ones are left unchanged. */
        void rewrite(List<DataFile> files) throws IOException {
            for (List<DataFile> alike : bySchema(files)) {
                trim(alike);
                if (alike.size() < 2) {
                    continue;
                }
                alike.sort(Comparator.comparing(file -> Objects.requireNonNullElse(file.dataSequenceNumber(), 0L)));
                DataFile merged = merge(alike);
                if (merged != null) {
                    removed.addAll(alike);
                    added.add(merged);
                    bytes += merged.fileSizeInBytes();
                }
            }
        }

        /** Groups files by schema: columns are copied unchanged, so files of different schemas are not merged. */
        private Collection<List<DataFile>> bySchema(List<DataFile> files) {
            Map<MessageType, List<DataFile>> alike = new HashMap<>();
            for (DataFile file : files) {
                try {
                    MessageType schema = ParquetMerger.schema(LocalFileIO.path(file.location()));
                    if (hasIds(schema)) {
                        alike.computeIfAbsent(schema, same -> new ArrayList<>()).add(file);
                    }
                } catch (IOException e) {
                    LOG.warn("A file of {} is not compacted: {}", table.name(), e.getMessage());
                }
            }
            return alike.values();
        }

        private boolean hasIds(MessageType schema) {
            return schema.getColumns().stream()
                    .allMatch(column -> column.getPrimitiveType().getId() != null);
        }

        private @Nullable DataFile merge(List<DataFile> files) throws IOException {
            PartitionSpec spec =
                    Objects.requireNonNull(table.specs().get(files.get(0).specId()));
            StructLike partition = files.get(0).partition();
            NewDataFile out = new NewDataFile(DataFileNames.location(table, spec, partition, "compacted"));
            boolean done = false;
            try {
                List<Path> paths = files.stream()
                        .map(file -> LocalFileIO.path(file.location()))
                        .toList();
                ParquetMetadata footer =
                        ParquetMerger.merge(paths, out, rule.compression, ROW_GROUP_BYTES, betweenRows);
                DataFile merged = out.finish(footer, spec, partition);
                done = true;
                return merged;
            } catch (IOException | UncheckedIOException | ParquetDecodingException e) {
                LOG.warn("{} files of {} are not compacted", files.size(), table.name(), e);
                return null;
            } finally {
                if (!done) {
                    out.abandon();
                }
            }
        }

        Compacted commit() {
            if (added.isEmpty()) {
                return Compacted.NOTHING;
            }
            RewriteFiles rewrite = table.newRewrite().validateFromSnapshot(from.snapshotId());
            // Equality deletes that are committed from now on still apply to the rows.
            rewrite.dataSequenceNumber(from.sequenceNumber());
            removed.forEach(rewrite::deleteFile);
            added.forEach(rewrite::addFile);
            try {
                rewrite.commit();
            } catch (CommitStateUnknownException e) {
                forget(); // the files may belong to the table now
                throw e;
            }
            Compacted done = new Compacted(removed.size(), added.size(), bytes);
            forget();
            return done;
        }

        private void forget() {
            removed.clear();
            added.clear();
            bytes = 0;
        }

        /** Removes the files that were not committed. */
        @Override
        public void close() {
            added.forEach(file -> table.io().deleteFile(file.location()));
        }
    }
}
