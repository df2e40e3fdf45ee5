package io.thalweg.history;

import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowCells;
import io.thalweg.model.row.RowCodec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.tables.ParquetFileBuilder.Compression;
import io.thalweg.tables.iceberg.DataFileWriter;
import io.thalweg.tables.iceberg.IcebergTableWriter;
import io.thalweg.tables.iceberg.Partition;
import io.thalweg.tables.iceberg.Partitioner;
import io.thalweg.tables.iceberg.TableAddress;
import io.thalweg.tables.iceberg.TableCommit;
import io.thalweg.tables.iceberg.TableLayout;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Adds to a feature log the window ends that it lacks from one that was computed from recorded events, and compares those that both have.
 *
 * <p><b>Not compared.</b> The last window end of the recorded events, which later events may complete; and, if the log begins earlier than
 * they do, the window ends whose largest window began before them. The latter are not added either.
 *
 * <p><b>Memory.</b> The rows of one window end, and only if they differ. <b>Threads.</b> One.
 */
public final class Backfill {
    private static final long ROW_GROUP_BYTES = 64L << 20;
    private static final long MANY_BYTES = 4L << 20;

    private final FeatureLog computed;
    private final FeatureLog into;
    private final FeatureView view;

    /**
     * The result.
     *
     * @param added window ends
     * @param rows added
     * @param compared window ends that are equal
     * @param skipped window ends that the recorded events cover only in part
     */
    public record Result(int added, long rows, int compared, int skipped) {}

    private Backfill(FeatureLog computed, FeatureLog into) {
        this.computed = computed;
        this.into = into;
        view = into.view();
    }

    /**
     * Compares and adds.
     *
     * @throws LogMismatchException if a row differs, and nothing is added; the message shows the first one
     */
    public static Result merge(FeatureLog computed, FeatureLog into) throws IOException {
        return new Backfill(computed, into).merge();
    }

    private Result merge() throws IOException {
        TreeSet<Long> fresh = new TreeSet<>(computed.ends().keySet());
        TreeSet<Long> known = new TreeSet<>(into.ends().keySet());
        if (fresh.isEmpty()) {
            return new Result(0, 0, 0, 0);
        }
        Map<Long, Digest> freshRows = digests(computed, fresh.first(), fresh.last());
        Map<Long, Digest> knownRows = digests(into, fresh.first(), fresh.last());
        known.addAll(knownRows.keySet());
        NavigableSet<Long> partial = partial(fresh, known);
        int compared = 0;
        for (Long end : fresh) {
            if (known.contains(end) && !partial.contains(end) && !end.equals(fresh.last())) {
                if (!Objects.equals(freshRows.get(end), knownRows.get(end))) {
                    throw different(end);
                }
                compared++;
            }
        }
        TreeSet<Long> missing = new TreeSet<>(fresh);
        missing.removeAll(known);
        missing.removeAll(partial);
        long rows = missing.isEmpty() ? 0 : add(missing);
        return new Result(missing.size(), rows, compared, partial.size());
    }

    /** Returns the window ends whose largest window began before the recorded events. */
    private NavigableSet<Long> partial(NavigableSet<Long> fresh, NavigableSet<Long> known) {
        if (known.isEmpty() || known.first() >= fresh.first()) {
            return new TreeSet<>();
        }
        long wholeMs = fresh.first()
                + (view.windows().largestPanes() - 1) * view.clock().everyMs();
        return new TreeSet<>(fresh.headSet(wholeMs, false));
    }

    /** The rows of a window end, regardless of their order. */
    private static final class Digest {
        private long rows;
        private long sum;

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Digest that && rows == that.rows && sum == that.sum;
        }

        @Override
        public int hashCode() {
            return Long.hashCode(sum);
        }
    }

    private Map<Long, Digest> digests(FeatureLog log, long fromMs, long toMs) throws IOException {
        Map<Long, Digest> digests = new TreeMap<>();
        RowCodec codec = RowCodec.of(view);
        RowCells cells = RowCells.of(view);
        log.scan(fromMs, toMs, block -> {
            Digest digest = digests.computeIfAbsent(block.windowEndMs(), end -> new Digest());
            for (int row = 0; row < block.rows(); row++) {
                digest.rows++;
                digest.sum += mixed(cells.key(block, row).hashCode(), Arrays.hashCode(codec.encodeRow(block, row)));
            }
        });
        return digests;
    }

    /** The finalizer of SplitMix64. */
    private static long mixed(int key, int row) {
        long x = (long) key << 32 ^ (row & 0xFFFF_FFFFL);
        x = (x ^ (x >>> 30)) * 0xbf58476d1ce4e5b9L;
        x = (x ^ (x >>> 27)) * 0x94d049bb133111ebL;
        return x ^ (x >>> 31);
    }

    private LogMismatchException different(long endMs) throws IOException {
        Map<List<Object>, List<Object>> known = rows(into, endMs);
        Map<List<Object>, List<Object>> fresh = rows(computed, endMs);
        TreeSet<List<Object>> keys = new TreeSet<>((a, b) -> a.toString().compareTo(b.toString()));
        keys.addAll(known.keySet());
        keys.addAll(fresh.keySet());
        for (List<Object> key : keys) {
            if (!Objects.equals(known.get(key), fresh.get(key))) {
                return new LogMismatchException(
                        "row %s of view %s at %s is %s in the log, and %s by the recorded events; nothing was added. Rows differ if events were late, the tables of lookups have changed, or the events are not the same"
                                .formatted(
                                        shown(key),
                                        view.qualifiedName(),
                                        Instant.ofEpochMilli(endMs),
                                        shown(known.get(key)),
                                        shown(fresh.get(key))));
            }
        }
        return new LogMismatchException("rows of view %s at %s occur more often in one log than in the other"
                .formatted(view.qualifiedName(), Instant.ofEpochMilli(endMs)));
    }

    private String shown(@Nullable List<Object> values) {
        if (values == null) {
            return "absent";
        }
        return values.stream()
                .map(value -> value instanceof Long cell && cell > 1L << 56 ? Long.toHexString(cell) : value)
                .toList()
                .toString();
    }

    private Map<List<Object>, List<Object>> rows(FeatureLog log, long endMs) throws IOException {
        Map<List<Object>, List<Object>> rows = new HashMap<>();
        RowCells cells = RowCells.of(view);
        int features = view.featureNames().size();
        log.scan(endMs, endMs, block -> {
            for (int row = 0; row < block.rows(); row++) {
                List<Object> values = new ArrayList<>();
                for (int feature = 0; feature < features; feature++) {
                    values.add(String.valueOf(cells.value(block, row, feature)));
                }
                rows.put(cells.key(block, row), values);
            }
        });
        return rows;
    }

    /** Adds rows before progress, so that a window end whose progress is there has its rows. */
    private long add(NavigableSet<Long> ends) throws IOException {
        long[] count = {0};
        try (Appender rows = new Appender(into.address(), LogLayout.rows(view, into.format()))) {
            LogRows records = LogRows.of(view, into.format());
            computed.scan(ends.first(), ends.last(), block -> {
                if (ends.contains(block.windowEndMs())) {
                    add(block, records, rows);
                    count[0] += block.rows();
                }
            });
            rows.add(records.take());
            rows.commit();
        }
        try (Appender progress = new Appender(LogLayout.progress(into.address()), LogLayout.progress())) {
            LogProgress records = new LogProgress();
            for (Long end : ends) {
                // One record stands for all shards: nobody could read them at the time.
                records.add(0, end, LogProgress.UNKNOWN, LogProgress.UNKNOWN);
            }
            progress.add(records.take());
            progress.commit();
        }
        return count[0];
    }

    private static void add(RowBlock block, LogRows records, Appender into) throws IOException {
        records.add(block);
        if (records.bytes() >= MANY_BYTES) {
            into.add(records.take());
        }
    }

    /** Appends records to a table in one commit. */
    private static final class Appender implements AutoCloseable {
        private final IcebergTableWriter table;
        private final Partitioner partitioner;
        private final Map<Partition, DataFileWriter> open = new LinkedHashMap<>();
        private final List<String> files = new ArrayList<>();

        Appender(TableAddress address, TableLayout layout) {
            table = IcebergTableWriter.open(address, layout);
            partitioner = layout.partitioner();
        }

        void add(ColumnBatch batch) throws IOException {
            for (Partitioner.Part part : partitioner.split(batch)) {
                DataFileWriter file = open.get(part.partition());
                if (file == null) {
                    file = table.newFile("backfill", part.partition(), Compression.ZSTD, ROW_GROUP_BYTES);
                    open.put(part.partition(), file);
                }
                file.add(part.rows());
            }
        }

        void commit() throws IOException {
            for (DataFileWriter file : open.values()) {
                files.add(file.finish());
            }
            open.clear();
            if (!files.isEmpty()) {
                String id = "backfill-" + UUID.randomUUID();
                var unused = table.commit(new TableCommit("backfill", id, id, id + "-1", 1, files));
            }
        }

        @Override
        public void close() throws IOException {
            for (DataFileWriter file : open.values()) {
                file.close();
            }
            table.close();
        }
    }
}
