package io.thalweg.history;

import io.thalweg.kernel.keyed.KeyWord;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowCells;
import io.thalweg.model.row.RowCodec;
import io.thalweg.model.view.FeatureView;
import io.thalweg.tables.iceberg.TableAppender;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
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
    private static final String WRITER = "backfill";
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

    /** The rows of a window end, regardless of their order: their number, and the sum of a word of each. */
    private static final class Digest {
        private long rows;
        private long sum;

        void add(byte[] key, byte[] row) {
            rows++;
            sum += KeyWord.of(KeyWord.of(key), KeyWord.of(row));
        }

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
        log.scan(fromMs, toMs, (block, progressMs) -> {
            Digest digest = digests.computeIfAbsent(block.windowEndMs(), end -> new Digest());
            for (int row = 0; row < block.rows(); row++) {
                byte[] key = cells.key(block, row).toString().getBytes(StandardCharsets.UTF_8);
                digest.add(key, codec.encodeRow(block, row));
            }
        });
        return digests;
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
        log.scan(endMs, endMs, (block, progressMs) -> {
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
        try (TableAppender rows = new TableAppender(into.address(), LogLayout.rows(view, into.format()), WRITER)) {
            LogRows records = LogRows.of(view, into.format());
            computed.scan(ends.first(), ends.last(), (block, progressMs) -> {
                if (ends.contains(block.windowEndMs())) {
                    add(block, records, rows);
                    count[0] += block.rows();
                }
            });
            rows.add(records.take());
            rows.commit();
        }
        try (TableAppender progress =
                new TableAppender(LogLayout.progress(into.address()), LogLayout.progress(), WRITER)) {
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

    private static void add(RowBlock block, LogRows records, TableAppender into) throws IOException {
        records.add(block);
        if (records.bytes() >= MANY_BYTES) {
            into.add(records.take());
        }
    }
}
