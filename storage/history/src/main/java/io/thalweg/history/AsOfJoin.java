package io.thalweg.history;

import io.thalweg.kernel.keyed.KeyWord;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.ReadOutcome;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.row.RingDivisors;
import io.thalweg.model.row.RowBlock;
import io.thalweg.model.row.RowCells;
import io.thalweg.model.view.FeatureView;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.records.schema.FieldType;
import io.thalweg.tables.FlatRows;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers labels from a feature log: each with the newest row of its key that was readable at its time, judged by the rules of a read.
 *
 * <p><b>Mechanism.</b> The labels of a key are ordered by time, so the progress that each could read is ascending: the window end, or the
 * load of a table. A row of the log is a candidate of all labels from the first that could read it on. It is kept at that first label only,
 * if it is newer than the one kept there; after the scan, a running maximum over the labels of each key gives every label its row. So a row costs one binary search,
 * in any order of rows, and nothing is sorted but the labels. A row that is too old for the first label that could read it is too old for
 * the following ones, and is not decoded. Of two rows of a table with the same key and time, the one of the load that was complete first
 * counts.
 *
 * <p><b>Memory.</b> 9 bytes for each label and feature, some 60 for each label. <b>Threads.</b> One per file of the log.
 */
final class AsOfJoin {
    private static final int STRIPES = 256;

    private final Labels labels;
    private final FeatureView view;
    private final int[] features;
    private final boolean[] doubles;
    private final Availability available;
    private final int[] ordered;
    private final int[] firsts;
    /** By position in the order: the newest window end that the label could read. */
    private final long[] newestMs;
    /** By position: older rows do not count. */
    private final long[] oldestMs;
    /** By label: the watermark, or {@link ReadOutcome#NONE} before the log begins. */
    private final long[] watermarksMs;
    /** By position: the window end of the row. */
    private final long[] endsMs;

    private final long[] values;
    /** By position and feature; not bits, so that threads may set neighbours. */
    private final boolean[] present;

    /** By position and feature, text and lists as text; empty if all features are numbers. */
    private final @Nullable String[] texts;
    /** By position: the precedence of the row; empty unless the view is a table. */
    private final long[] precedences;

    private final boolean[] nonZero;
    private final Object[] stripes = new Object[STRIPES];
    private long fromMs = Long.MAX_VALUE;
    private long toMs = Long.MIN_VALUE;

    /**
     * @param features indexes of the features that are asked
     */
    AsOfJoin(Labels labels, int[] features, Availability available) {
        this.labels = labels;
        this.features = features.clone();
        view = labels.view();
        List<String> types = view.featureTypes();
        doubles = new boolean[features.length];
        for (int i = 0; i < features.length; i++) {
            doubles[i] = types.get(features[i]).equals("double");
        }
        this.available = available;
        boolean anyText =
                Arrays.stream(features).anyMatch(feature -> FlatRows.featureType(types.get(feature)) == FieldType.TEXT);
        labels.seal();
        ordered = labels.ordered();
        firsts = labels.firsts();
        newestMs = new long[ordered.length];
        oldestMs = new long[ordered.length];
        watermarksMs = new long[ordered.length];
        endsMs = new long[ordered.length];
        values = new long[Math.multiplyExact(ordered.length, features.length)];
        present = new boolean[values.length];
        texts = new String[anyText ? values.length : 0];
        precedences = new long[view.isTable() ? ordered.length : 0];
        nonZero = new boolean[ordered.length];
        Arrays.fill(endsMs, ReadOutcome.NONE);
        Arrays.setAll(stripes, i -> new Object());
        for (int i = 0; i < ordered.length; i++) {
            bound(i);
        }
    }

    private void bound(int i) {
        int label = ordered[i];
        long timeMs = labels.timeMs(label);
        long watermarkMs = available.watermarkMs(timeMs);
        watermarksMs[label] = watermarkMs;
        if (watermarkMs == ReadOutcome.NONE) {
            newestMs[i] = ReadOutcome.NONE;
            oldestMs[i] = ReadOutcome.NONE;
            return;
        }
        newestMs[i] = available.newestEndMs(labels.shard(label), timeMs);
        // Of a view with rings, absence of a current row means zero; of a keyed view, an expired row is absent.
        oldestMs[i] = view.isKeyed() ? timeMs - view.online().keptMs() : watermarkMs;
        fromMs = Math.min(fromMs, oldestMs[i]);
        // A table may have rows of a time after their load.
        toMs = view.isTable() ? FeatureLog.LAST_MS : Math.max(toMs, newestMs[i]);
    }

    /**
     * Reads the log.
     *
     * @param filesDone receives the bytes of each file that was read
     * @throws IOException if it cannot be read
     */
    void read(FeatureLog log, ExecutorService threads, LongConsumer filesDone)
            throws IOException, InterruptedException {
        if (fromMs <= toMs) {
            List<Future<?>> running = log.files(fromMs, toMs).stream()
                    .<Future<?>>map(file -> threads.submit(() -> {
                        log.scan(file, fromMs, toMs, new Scan());
                        filesDone.accept(file.bytes());
                        return null;
                    }))
                    .toList();
            await(running);
        }
        carryForward();
    }

    private static void await(List<Future<?>> running) throws IOException, InterruptedException {
        try {
            for (Future<?> each : running) {
                each.get();
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        } finally {
            running.forEach(each -> each.cancel(true));
        }
    }

    /** One pass over a file. */
    private final class Scan implements FeatureLog.Blocks {
        private final RowCells cells = RowCells.of(view);
        private final @Nullable RingDivisors divisors = view.isKeyed() ? null : new RingDivisors(view);

        @Override
        public void add(RowBlock block, long progressMs) throws IOException {
            if (Thread.interrupted()) {
                throw new IOException("the scan was stopped");
            }
            labels.match(block, (row, key) -> offer(block, progressMs, row, key));
        }

        private void offer(RowBlock block, long progressMs, int row, int key) {
            long endMs = block.windowEndMs();
            int at = firstThatCouldRead(key, available.neededMs(endMs, progressMs));
            if (at == firsts[key + 1] || endMs < oldestMs[at]) {
                return;
            }
            synchronized (stripes[key % STRIPES]) {
                if (endMs > endsMs[at] || (endMs == endsMs[at] && precedes(progressMs, at))) {
                    endsMs[at] = endMs;
                    if (view.isTable()) {
                        precedences[at] = available.precedence(progressMs);
                    }
                    keep(block.rows(row, row + 1), at);
                }
            }
        }

        private boolean precedes(long progressMs, int at) {
            return view.isTable() && available.precedence(progressMs) < precedences[at];
        }

        private void keep(RowBlock row, int at) {
            if (row instanceof HexRowBlock hex) {
                keepSums(hex, at);
                return;
            }
            for (int i = 0; i < features.length; i++) {
                put(at * features.length + i, i, cells.value(row, 0, features[i]));
            }
        }

        private void keepSums(HexRowBlock row, int at) {
            long any = 0;
            for (long sum : row.sums()) {
                any |= sum;
            }
            nonZero[at] = any != 0;
            double[] all = Objects.requireNonNull(divisors).values(row.sums(), row.diskSizes());
            for (int i = 0, slot = at * features.length; i < features.length; i++, slot++) {
                present[slot] = true;
                values[slot] = Double.doubleToRawLongBits(all[features[i]]);
            }
        }

        private void put(int slot, int i, @Nullable Object value) {
            present[slot] = value != null;
            if (value instanceof BigInteger) {
                throw new LogMismatchException(
                        "the value of feature %s of view %s has more than 64 bits: %s; leave it out with --features, or give its measure type: double"
                                .formatted(view.featureNames().get(features[i]), view.qualifiedName(), value));
            }
            if (value != null && texts.length > 0 && !(value instanceof Number)) {
                texts[slot] = value.toString();
                values[slot] = word(texts[slot]);
            } else if (value != null) {
                values[slot] = doubles[i] ? Double.doubleToRawLongBits((Double) value) : (Long) value;
            }
        }
    }

    /** Returns the position of a key's first label that could read rows with this progress; that after its last if none could. */
    private int firstThatCouldRead(int key, long neededMs) {
        int low = firsts[key];
        int high = firsts[key + 1];
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (newestMs[middle] >= neededMs) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    private void carryForward() {
        for (int key = 0; key < labels.keys(); key++) {
            for (int i = firsts[key] + 1; i < firsts[key + 1]; i++) {
                // Of rows of the same time, the one that an earlier label could read is of a load that was complete
                // before.
                boolean isOfEarlierLoad = view.isTable() && endsMs[i - 1] == endsMs[i];
                if (endsMs[i - 1] > endsMs[i] || isOfEarlierLoad) {
                    copy(i - 1, i);
                }
            }
        }
    }

    private void copy(int from, int to) {
        endsMs[to] = endsMs[from];
        nonZero[to] = nonZero[from];
        int width = features.length;
        System.arraycopy(values, from * width, values, to * width, width);
        System.arraycopy(present, from * width, present, to * width, width);
        if (texts.length > 0) {
            System.arraycopy(texts, from * width, texts, to * width, width);
        }
    }

    /** Returns a word that stands for a text where values are compared. */
    static long word(String text) {
        return KeyWord.of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the answers, in the order of the labels. */
    Answers answers() {
        int[] positions = new int[ordered.length];
        for (int i = 0; i < ordered.length; i++) {
            positions[ordered[i]] = i;
        }
        return new Answers(positions);
    }

    /** The answers to the labels. */
    final class Answers {
        private final Duration ttl = view.online().ttl().duration();
        private final int[] positions;

        private Answers(int[] positions) {
            this.positions = positions;
        }

        /** Whether the log has begun at the time of a label; otherwise nothing is known about it. */
        boolean isLogged(int label) {
            return watermarksMs[label] != ReadOutcome.NONE;
        }

        /** Returns the view's watermark at the time of a label, epoch ms; {@link ReadOutcome#NONE} before the log begins. */
        long watermarkMs(int label) {
            return watermarksMs[label];
        }

        /** Returns what a server would have answered. */
        ReadOutcome outcome(int label) {
            int at = positions[label];
            long timeMs = labels.timeMs(label);
            if (!view.isKeyed()) {
                return ReadOutcome.latest(timeMs, watermarksMs[label], ttl, endsMs[at], nonZero[at]);
            }
            long endMs = endsMs[at] < oldestMs[at] ? ReadOutcome.NONE : endsMs[at];
            return ReadOutcome.keyed(timeMs, watermarksMs[label], ttl, endMs);
        }

        /** Whether a feature, by its position among those asked, has a value. */
        boolean hasValue(int label, ReadStatus status, int feature) {
            return status == ReadStatus.ZERO
                    || (status == ReadStatus.PRESENT && present[positions[label] * features.length + feature]);
        }

        /** Returns a value: a whole number, the bits of a double, or the {@link #word} of a text. */
        long value(int label, ReadStatus status, int feature) {
            return status == ReadStatus.ZERO ? 0 : values[positions[label] * features.length + feature];
        }

        /** Writes the values of the features that are asked into the first columns; null unless the status is PRESENT or ZERO. */
        void write(int label, ReadStatus status, ColumnWriter columns) {
            for (int i = 0; i < features.length; i++) {
                if (!hasValue(label, status, i)) {
                    columns.absent(i);
                } else if (texts.length > 0 && texts[positions[label] * features.length + i] != null) {
                    byte[] text = texts[positions[label] * features.length + i].getBytes(StandardCharsets.UTF_8);
                    columns.bytes(i, text, 0, text.length);
                } else if (doubles[i]) {
                    columns.float64(i, Double.longBitsToDouble(value(label, status, i)));
                } else {
                    columns.int64(i, value(label, status, i));
                }
            }
        }
    }
}
