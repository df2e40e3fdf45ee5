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
 * Rewrites small data files of a table into larger ones with the same rows, while others append to it.
 *
 * <p><b>Conflicts.</b> Appends do not disturb it. If another writer removes one of its files or deletes rows of it meanwhile, the table
 * refuses the new files, which are removed; the next pass starts from the table as it is then.
 *
 * <p><b>Left alone.</b> Files in other formats than Parquet, encrypted or sorted ones, files with deleted rows, and tables of format
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
    /** A commit takes over so many bytes at least, if there are as many: passes of large tables are not lost as a whole. */
    private static final long COMMIT_BYTES = 1L << 30;

    private static final int LAST_VERSION = 2;

    private final CatalogTable opened;
    private final Table table;
    private final Rule rule;

    /**
     * What is rewritten, and into what.
     *
     * @param below smaller files are rewritten; bytes
     * @param targetFile about the size of the new files, at least {@code below}; bytes
     */
    public record Rule(long below, long targetFile, Compression compression) {}

    /**
     * What a pass has done.
     *
     * @param before files that were rewritten
     * @param after files that they have become
     * @param bytes of the new files
     */
    public record Compacted(int before, int after, long bytes) {
        private static final Compacted NOTHING = new Compacted(0, 0, 0);

        private Compacted plus(Compacted more) {
            return new Compacted(before + more.before, after + more.after, bytes + more.bytes);
        }
    }

    private TableCompactor(CatalogTable opened, Rule rule) {
        this.opened = opened;
        table = opened.table();
        this.rule = rule;
    }

    /** Opens a table that is there. */
    public static TableCompactor open(TableAddress address, Rule rule) {
        return new TableCompactor(CatalogTable.open(address), rule);
    }

    /**
     * Looks at the table once, and rewrites what can be.
     *
     * @param betweenRows is called every few thousand rows, and ends the pass by an exception
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

    /** The small files of each partition. */
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

    /** The files of a partition, in groups that become a file each. */
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
     * Removes the largest files while they are more than twice as large as all others together. So a file becomes part of one at
     * least half as large again, and a byte is written again only as often as its file can grow so below the rule's size.
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

        /** Rewrites files of one partition; those that cannot be read stay as they are. */
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

        /** Columns are copied as they are, so files of an older schema are not merged with those of a newer one. */
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
            // Deletes by value that are committed from now on still find the rows.
            rewrite.dataSequenceNumber(from.sequenceNumber());
            removed.forEach(rewrite::deleteFile);
            added.forEach(rewrite::addFile);
            try {
                rewrite.commit();
            } catch (CommitStateUnknownException e) {
                forget(); // the files may be those of the table now
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

        /** Removes what was not committed. */
        @Override
        public void close() {
            added.forEach(file -> table.io().deleteFile(file.location()));
        }
    }
}
