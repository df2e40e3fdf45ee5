package io.thalweg.cli;

import io.thalweg.formats.EventVerdict;
import io.thalweg.formats.Outcome;
import io.thalweg.kernel.naive.NaiveFeatures;
import io.thalweg.kernel.naive.NaiveRow;
import io.thalweg.model.FeatureView;
import io.thalweg.model.GroupCodec;
import io.thalweg.model.Measure;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;

/** The rows of a view by the plain recount, from the verdicts on its events. Not safe to share between threads. */
final class Recount {
    private final GroupCodec groups;
    private final long everyMs;
    private final boolean distinct;
    private final NaiveFeatures features;
    private long accepted;

    Recount(FeatureView view) {
        groups = new GroupCodec(view.group());
        everyMs = view.windows().every().millis();
        distinct = view.measure() instanceof Measure.CountDistinct;
        int[] rings = view.rings().stream().mapToInt(Integer::intValue).toArray();
        features = new NaiveFeatures(
                view.cell().resolution(), rings, view.windows().panes());
    }

    /** A row of the recount. */
    record Row(long cell, List<Object> group, long windowEndMs, double[] values) {}

    /** Counts an event if it was accepted. */
    void add(EventVerdict verdict) {
        Long timeMs = verdict.eventTimeMs();
        if (verdict.outcome() != Outcome.ACCEPTED || timeMs == null) {
            return;
        }
        accepted++;
        long pane = Math.floorDiv(timeMs, everyMs);
        // NaiveFeatures takes a text for the group: its exact bytes, one char each.
        String group = new String(groups.encode(verdict.group()), StandardCharsets.ISO_8859_1);
        if (distinct) {
            features.add(verdict.cell(), group, pane, verdict.idHi(), verdict.idLo());
        } else {
            features.addCount(verdict.cell(), group, pane);
        }
    }

    /** Events that counted. */
    long accepted() {
        return accepted;
    }

    /** All rows, window end by window end. */
    void forEachRow(Consumer<Row> consumer) {
        features.forEachRow(row -> consumer.accept(row(row)));
    }

    private Row row(NaiveRow row) {
        List<Object> group = groups.decode(row.group().getBytes(StandardCharsets.ISO_8859_1));
        return new Row(row.cell(), group, row.end() * everyMs, row.values());
    }
}
