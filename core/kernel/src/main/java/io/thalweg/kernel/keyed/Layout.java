package io.thalweg.kernel.keyed;

import io.thalweg.kernel.aggregate.Aggregate;
import io.thalweg.kernel.aggregate.DoubleSum;
import io.thalweg.kernel.aggregate.Extreme;
import io.thalweg.kernel.aggregate.Finished;
import io.thalweg.kernel.aggregate.IntegerSum;
import io.thalweg.kernel.aggregate.Spill;
import io.thalweg.kernel.aggregate.Sum;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The layout of a key's values, in its entry of a pane and in each of its windows, and the operations that combine them.
 *
 * <p><b>Shape.</b> Both begin with the number of accepted events and of events per filter, followed by the partials of the
 * aggregates; measures that need the same partial share it. For a distinct count, a window holds the number of ids; a pane holds
 * the number of ids that were fresh in each window, then of those that were last in each. With one window of one pane, where all
 * ids are both, a pane holds only the number.
 *
 * <p><b>Threads.</b> Not safe to share, because it has a buffer for a value.
 */
final class Layout {
    /** An aggregate and its offset, the same in panes and windows. */
    record Partial(Aggregate aggregate, int filter, int column, int at) {}

    /** A distinct count and its offsets. */
    record Distinct(int filter, int column, int idWords, int paneAt, int windowAt) {}

    /** The offset of the count or partial that a measure is computed from. */
    private record Source(int at, @Nullable Aggregate aggregate) {}

    final KeyedSpec spec;
    final int keyWords;
    final int[] windows;
    final boolean tumbling;
    final int counts;
    final Partial[] partials;
    final Distinct[] distincts;
    final boolean extremes;
    final int paneWords;
    final int windowWords;
    private final Source[] sources;
    private final Finished finished = new Finished();

    Layout(KeyedSpec spec) {
        this.spec = spec;
        keyWords = spec.keys().words();
        windows = spec.windowPanes().stream().mapToInt(Integer::intValue).toArray();
        tumbling = spec.largestPanes() == 1;
        counts = 1 + spec.filters();
        List<Partial> all = new ArrayList<>();
        int at = counts;
        for (KeyedMeasure measure : spec.measures()) {
            Aggregate aggregate = aggregate(measure);
            if (aggregate != null && find(all, aggregate, measure) == null) {
                all.add(new Partial(aggregate, measure.filter(), measure.column(), at));
                at += aggregate.words();
            }
        }
        partials = all.toArray(Partial[]::new);
        extremes = all.stream().anyMatch(partial -> !partial.aggregate.subtracts());
        List<Distinct> ids = new ArrayList<>();
        int paneAt = at;
        for (KeyedMeasure measure : spec.measures()) {
            if (measure.kind() == KeyedMeasure.Kind.COUNT_DISTINCT && find(ids, measure) == null) {
                int idWords = measure.input() == KeyedMeasure.Input.ID128 ? 2 : 1;
                ids.add(new Distinct(measure.filter(), measure.column(), idWords, paneAt, at + ids.size()));
                paneAt += tumbling ? 1 : 2 * windows.length;
            }
        }
        distincts = ids.toArray(Distinct[]::new);
        windowWords = at + distincts.length;
        paneWords = paneAt;
        sources = spec.measures().stream().map(this::source).toArray(Source[]::new);
    }

    private static @Nullable Aggregate aggregate(KeyedMeasure measure) {
        boolean decimal = measure.input() == KeyedMeasure.Input.DOUBLE;
        return switch (measure.kind()) {
            case COUNT, COUNT_DISTINCT -> null;
            case SUM, MEAN -> decimal ? DoubleSum.INSTANCE : IntegerSum.INSTANCE;
            case MIN -> decimal ? Extreme.MIN_DOUBLE : Extreme.MIN_LONG;
            case MAX -> decimal ? Extreme.MAX_DOUBLE : Extreme.MAX_LONG;
        };
    }

    private static @Nullable Partial find(List<Partial> all, Aggregate aggregate, KeyedMeasure measure) {
        for (Partial partial : all) {
            if (partial.aggregate.equals(aggregate)
                    && partial.filter == measure.filter()
                    && partial.column == measure.column()) {
                return partial;
            }
        }
        return null;
    }

    private static @Nullable Distinct find(List<Distinct> all, KeyedMeasure measure) {
        for (Distinct distinct : all) {
            if (distinct.filter == measure.filter() && distinct.column == measure.column()) {
                return distinct;
            }
        }
        return null;
    }

    private Source source(KeyedMeasure measure) {
        if (measure.kind() == KeyedMeasure.Kind.COUNT) {
            return new Source(measure.filter(), null);
        }
        Distinct distinct =
                measure.kind() == KeyedMeasure.Kind.COUNT_DISTINCT ? find(List.of(distincts), measure) : null;
        if (distinct != null) {
            return new Source(distinct.windowAt, null);
        }
        Aggregate aggregate = aggregate(measure);
        Partial partial = aggregate == null ? null : find(List.of(partials), aggregate, measure);
        if (partial == null) {
            throw new IllegalStateException("no partial for " + measure);
        }
        return new Source(partial.at, partial.aggregate);
    }

    /** Accumulates an entry's inputs, except for distinct counts. */
    void accumulate(long[] words, int at, Spill spill, long matches, long events, long[][] inputs, int entry) {
        words[at] += events;
        for (int filter = 1; filter < counts; filter++) {
            words[at + filter] += (matches >>> (filter - 1) & 1) * events;
        }
        for (Partial partial : partials) {
            if (holds(partial.filter, matches)) {
                partial.aggregate.accumulate(words, at + partial.at, spill, inputs[partial.column][entry]);
            }
        }
    }

    static boolean holds(int filter, long matches) {
        return filter == 0 || (matches >>> (filter - 1) & 1) != 0;
    }

    /** The offset at which a pane counts the ids that are fresh in a window. */
    int fresh(Distinct distinct, int window) {
        return distinct.paneAt + window;
    }

    /** The offset at which a pane counts the ids that are last in a window. */
    int last(Distinct distinct, int window) {
        return distinct.paneAt + windows.length + window;
    }

    /** Adds a pane to a window that it enters. */
    private void enter(long[] into, int at, Spill spill, int window, long[] pane, int paneAt, Spill paneSpill) {
        for (int i = 0; i < counts; i++) {
            into[at + i] += pane[paneAt + i];
        }
        for (Distinct distinct : distincts) {
            into[at + distinct.windowAt] += pane[paneAt + fresh(distinct, window)];
        }
        for (Partial partial : partials) {
            partial.aggregate.merge(into, at + partial.at, spill, pane, paneAt + partial.at, paneSpill);
        }
    }

    /** Adds a pane to all windows, which are adjacent from {@code at} on. */
    void enterAll(long[] into, int at, Spill spill, long[] pane, int paneAt, Spill paneSpill) {
        for (int w = 0; w < windows.length; w++) {
            enter(into, at + w * windowWords, spill, w, pane, paneAt, paneSpill);
        }
    }

    /**
     * Subtracts a pane from a window that it leaves.
     *
     * @return whether the pane had an extreme of the window, so that all extremes must be merged again
     */
    boolean leave(long[] from, int at, Spill spill, int window, long[] pane, int paneAt, Spill paneSpill) {
        for (int i = 0; i < counts; i++) {
            from[at + i] -= pane[paneAt + i];
        }
        for (Distinct distinct : distincts) {
            from[at + distinct.windowAt] -= pane[paneAt + last(distinct, window)];
        }
        boolean stale = false;
        for (Partial partial : partials) {
            if (partial.aggregate.subtracts()) {
                partial.aggregate.subtract(from, at + partial.at, spill, pane, paneAt + partial.at, paneSpill);
            } else {
                stale |= from[at + partial.at] == pane[paneAt + partial.at];
            }
        }
        return stale;
    }

    /** Resets the extremes of a window. */
    void clearExtremes(long[] words, int at) {
        for (Partial partial : partials) {
            if (!partial.aggregate.subtracts()) {
                partial.aggregate.create(words, at + partial.at);
            }
        }
    }

    /** Merges the extremes of a pane. */
    void mergeExtremes(long[] into, int at, Spill spill, long[] pane, int paneAt, Spill paneSpill) {
        for (Partial partial : partials) {
            if (!partial.aggregate.subtracts()) {
                partial.aggregate.merge(into, at + partial.at, spill, pane, paneAt + partial.at, paneSpill);
            }
        }
    }

    /** Adds another window. */
    void mergeWindow(long[] into, int at, Spill spill, long[] other, int otherAt, Spill otherSpill) {
        for (int i = 0; i < counts; i++) {
            into[at + i] += other[otherAt + i];
        }
        for (Distinct distinct : distincts) {
            into[at + distinct.windowAt] += other[otherAt + distinct.windowAt];
        }
        for (Partial partial : partials) {
            partial.aggregate.merge(into, at + partial.at, spill, other, otherAt + partial.at, otherSpill);
        }
    }

    /** Releases the spilled values of all windows, which are adjacent from {@code at} on. */
    void releaseAll(long[] words, int at, Spill spill) {
        for (int w = 0; w < windows.length; w++) {
            for (Partial partial : partials) {
                partial.aggregate.release(words, at + w * windowWords + partial.at, spill);
            }
        }
    }

    /** The second word of the key of an entry at {@code at}; 0 for keys of one word. */
    long second(long[] entry, int at) {
        return keyWords == 2 ? entry[at + 1] : 0;
    }

    /** The number of words of all windows of a key. */
    int allWindowWords() {
        return windowWords * windows.length;
    }

    /** The offset, from the first window, at which the largest window counts its accepted events. */
    int largestWindowAt() {
        return windowWords * (windows.length - 1);
    }

    /** Sets the values of the row begun last, from adjacent windows. */
    void finish(long[] words, int at, Spill spill, KeyedRows rows) {
        for (int m = 0; m < sources.length; m++) {
            for (int w = 0; w < windows.length; w++) {
                finish(m, w, words, at + w * windowWords, spill, rows);
            }
        }
    }

    private void finish(int m, int window, long[] words, int at, Spill spill, KeyedRows rows) {
        KeyedMeasure measure = spec.measures().get(m);
        int feature = m * windows.length + window;
        Source source = sources[m];
        long matching = words[at + measure.filter()];
        if (measure.isNullable() && matching == 0) {
            rows.setNull(feature);
        } else if (measure.kind() == KeyedMeasure.Kind.MEAN && source.aggregate instanceof Sum sum) {
            decimal(rows, feature, sum.quotient(words, at + source.at, spill, 1, matching));
        } else if (source.aggregate == null) {
            long count = words[at + source.at];
            if (measure.perMs() > 0) {
                decimal(
                        rows,
                        feature,
                        IntegerSum.quotient(0, count, numerator(measure, window), denominator(measure, window)));
            } else {
                rows.set(feature, 0, count);
            }
        } else if (measure.perMs() > 0 && source.aggregate instanceof Sum sum) {
            decimal(
                    rows,
                    feature,
                    sum.quotient(
                            words, at + source.at, spill, numerator(measure, window), denominator(measure, window)));
        } else {
            source.aggregate.finish(words, at + source.at, spill, finished);
            rows.set(feature, finished.high(), finished.low());
        }
    }

    private static void decimal(KeyedRows rows, int feature, double value) {
        rows.set(feature, 0, Double.doubleToRawLongBits(value));
    }

    /** The numerator of {@code perMs / windowMs}, reduced so that whole minutes divide by a small number. */
    private long numerator(KeyedMeasure measure, int window) {
        return measure.perMs() / gcd(measure.perMs(), windowMs(window));
    }

    private long denominator(KeyedMeasure measure, int window) {
        return windowMs(window) / gcd(measure.perMs(), windowMs(window));
    }

    private long windowMs(int window) {
        return Math.multiplyExact(spec.everyMs(), windows[window]);
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }
}
