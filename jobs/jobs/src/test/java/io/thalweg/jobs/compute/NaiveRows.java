package io.thalweg.jobs.compute;

import io.thalweg.formats.DeadLetter;
import io.thalweg.formats.view.BatchReader;
import io.thalweg.formats.view.EventOutcome;
import io.thalweg.formats.view.EventVerdict;
import io.thalweg.kernel.naive.NaiveFeatures;
import io.thalweg.kernel.naive.NaiveRow;
import io.thalweg.model.row.BlockHead;
import io.thalweg.model.row.HexRowBlock;
import io.thalweg.model.row.HexRowJson;
import io.thalweg.model.view.FeatureView;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The rows of a view by the plain recount, as the JSON lines that a job must write. */
final class NaiveRows {
    private final FeatureView view;
    private final long everyMs;
    private final NaiveFeatures naive;
    private final Map<String, List<Object>> groups = new HashMap<>();
    private final List<DeadLetter> deadLetters = new ArrayList<>();

    private NaiveRows(FeatureView view) {
        this.view = view;
        everyMs = view.windows().every().millis();
        naive = new NaiveFeatures(
                view.cell().resolution(),
                view.rings().stream().mapToInt(Integer::intValue).toArray(),
                view.windows().panes());
    }

    static List<String> of(FeatureView view, InputStream events) throws IOException {
        NaiveRows rows = new NaiveRows(view);
        rows.read(events);
        return rows.upTo(Long.MAX_VALUE);
    }

    /** Recounts partitions that each have their own clock. */
    static NaiveRows ofPartitions(FeatureView view, List<List<String>> partitions) throws IOException {
        NaiveRows rows = new NaiveRows(view);
        for (List<String> events : partitions) {
            rows.read(new ByteArrayInputStream(String.join("\n", events).getBytes(StandardCharsets.UTF_8)));
        }
        return rows;
    }

    private void read(InputStream events) throws IOException {
        BatchReader.of(List.of(view)).read(events, "events", this::take);
    }

    private void take(EventVerdict verdict) {
        if (verdict.outcome() == EventOutcome.ACCEPTED && verdict.eventTimeMs() != null) {
            String group = verdict.group().toString();
            groups.put(group, verdict.group());
            naive.add(
                    verdict.cell(),
                    group,
                    Math.floorDiv(verdict.eventTimeMs(), everyMs),
                    verdict.idHi(),
                    verdict.idLo());
        } else if (verdict.deadLetter() != null) {
            deadLetters.add(verdict.deadLetter());
        }
    }

    /** The dead letters of bad and late events. */
    List<DeadLetter> deadLetters() {
        return deadLetters;
    }

    /** Returns the rows of window ends up to and including this one, sorted. */
    List<String> upTo(long windowEndMs) {
        HexRowJson json = new HexRowJson(view);
        List<String> rows = new ArrayList<>();
        for (NaiveRow row : naive.rows()) {
            if (row.end() * everyMs > windowEndMs) {
                continue;
            }
            HexRowBlock block = new HexRowBlock(
                    BlockHead.ofFinal(view.qualifiedName(), 0, row.end() * everyMs),
                    0,
                    groups.getOrDefault(row.group(), List.of()),
                    new long[] {row.cell()},
                    row.sums(),
                    null);
            ByteArrayOutputStream line = new ByteArrayOutputStream();
            json.write(block, 0, line);
            rows.add(line.toString(StandardCharsets.UTF_8));
        }
        Collections.sort(rows);
        return rows;
    }
}
