package io.thalweg.history;

import io.thalweg.model.row.ReadOutcome;
import io.thalweg.model.row.ReadRule;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.row.Shard;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.FeatureView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a server answers at a time, by a loop over everything: the oracle of {@link AsOfJoin}. */
final class NaiveAsOf {
    private final FeatureView view;
    private final List<Reached> progress = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();

    record Reached(int shard, long endMs, long rowsAtMs, long atMs) {}

    record Row(List<Object> key, int shard, StoredRow row) {}

    record Answer(ReadOutcome outcome, List<@Nullable Object> values) {}

    NaiveAsOf(FeatureView view) {
        this.view = view;
    }

    void reached(int shard, long endMs, long rowsAtMs, long atMs) {
        progress.add(new Reached(shard, endMs, rowsAtMs, atMs));
    }

    void row(List<Object> key, int shard, StoredRow row) {
        rows.add(new Row(key, shard, row));
    }

    /** Returns the newest window end of each shard. */
    private long[] newestEndsMs(long timeMs, boolean rowsOnly) {
        long[] newest = new long[Shard.COUNT];
        Arrays.fill(newest, ReadOutcome.NONE);
        for (Reached each : progress) {
            if ((rowsOnly ? each.rowsAtMs : each.atMs) <= timeMs) {
                newest[each.shard] = Math.max(newest[each.shard], each.endMs);
            }
        }
        return newest;
    }

    /** Returns null before the log begins. */
    @Nullable
    Answer at(List<Object> key, long timeMs) {
        long watermarkMs = Arrays.stream(newestEndsMs(timeMs, false)).min().orElseThrow();
        if (watermarkMs == ReadOutcome.NONE) {
            return null;
        }
        long[] newestRowsMs = newestEndsMs(timeMs, true);
        StoredRow newest = null;
        for (Row each : rows) {
            long endMs = each.row.windowEndMs();
            boolean there = endMs <= newestRowsMs[each.shard];
            boolean kept = endMs >= timeMs - view.online().keptMs();
            if (each.key.equals(key) && there && kept && (newest == null || endMs > newest.windowEndMs())) {
                newest = each.row;
            }
        }
        ReadOutcome outcome = ReadRule.of(view).latest(timeMs, watermarkMs, newest);
        int features = view.featureNames().size();
        if (outcome.status() == ReadStatus.PRESENT && newest != null) {
            return new Answer(outcome, new ArrayList<>(newest.values()));
        }
        boolean zero = outcome.status() == ReadStatus.ZERO;
        return new Answer(outcome, new ArrayList<>(Collections.nCopies(features, zero ? 0.0 : null)));
    }
}
