package io.thalweg.history;

import io.thalweg.model.row.ReadOutcome;
import io.thalweg.model.row.ReadRule;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.model.row.Shard;
import io.thalweg.model.row.StoredRow;
import io.thalweg.model.view.FeatureView;
import java.util.ArrayList;
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

    private long newestEndMs(int shard, long timeMs, boolean rowsOnly) {
        long newest = ReadOutcome.NONE;
        for (Reached each : progress) {
            if (each.shard == shard && (rowsOnly ? each.rowsAtMs : each.atMs) <= timeMs) {
                newest = Math.max(newest, each.endMs);
            }
        }
        return newest;
    }

    /** Returns null before the log begins. */
    @Nullable
    Answer at(List<Object> key, long timeMs) {
        long watermarkMs = Long.MAX_VALUE;
        for (int shard = 0; shard < Shard.COUNT; shard++) {
            watermarkMs = Math.min(watermarkMs, newestEndMs(shard, timeMs, false));
        }
        if (watermarkMs == ReadOutcome.NONE) {
            return null;
        }
        StoredRow newest = null;
        for (Row each : rows) {
            long endMs = each.row.windowEndMs();
            boolean there = endMs <= newestEndMs(each.shard, timeMs, true);
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
