package io.thalweg.pipelinetest;

import io.thalweg.formats.view.Murmur3Id128;
import io.thalweg.model.row.ParsedRow;
import io.thalweg.model.row.RowJson;
import io.thalweg.model.view.FeatureView;
import io.thalweg.pipelinetest.PipelineTest.RowKey;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Collects the rows that a job writes as lines of JSON. For each row it keeps the key and a fingerprint of the values. It keeps whole rows
 * only for requested window ends, because one event of a view with rings produces tens of thousands of rows.
 *
 * <p><b>Threads.</b> {@link io.thalweg.jobs.sink.LocalStreams} lets one thread write at a time; read it when the job has ended.
 */
final class RowLedger extends OutputStream {
    private static final String FEATURES = ",\"features\":";
    private static final String WINDOW_END = "\"window_end\":\"";

    private final RowJson json;
    private final @Nullable Set<Long> wholeEndsMs;
    private final Murmur3Id128 hash = new Murmur3Id128();
    private final Map<String, Long> prints = new HashMap<>();
    private final Map<RowKey, ParsedRow> rows = new HashMap<>();
    private final List<String> changed = new ArrayList<>();
    private final Map<String, Integer> repeats = new TreeMap<>();

    /**
     * Creates an empty ledger.
     *
     * @param wholeEndsMs window ends whose rows are kept whole, epoch ms; null = all
     */
    RowLedger(FeatureView view, @Nullable Set<Long> wholeEndsMs) {
        this.json = RowJson.of(view);
        this.wholeEndsMs = wholeEndsMs;
    }

    /** Takes whole lines. */
    @Override
    public void write(byte[] lines, int offset, int length) {
        int begin = offset;
        for (int at = offset; at < offset + length; at++) {
            if (lines[at] == '\n') {
                add(new String(lines, begin, at - begin, StandardCharsets.UTF_8));
                begin = at + 1;
            }
        }
    }

    @Override
    public void write(int b) {
        throw new UnsupportedOperationException("rows are written as whole lines");
    }

    private void add(String line) {
        int features = line.lastIndexOf(FEATURES);
        String head = line.substring(0, features);
        byte[] values = line.substring(features).getBytes(StandardCharsets.UTF_8);
        hash.hash(values, 0, values.length);
        Long before = prints.put(head, hash.hi());
        if (before != null) {
            repeats.merge(head + "}", 2, (times, first) -> times + 1);
        }
        if (before != null && before != hash.hi()) {
            changed.add(head + "}");
        }
        if (wholeEndsMs == null || wholeEndsMs.contains(windowEndMs(head))) {
            ParsedRow row = json.parse(line.getBytes(StandardCharsets.UTF_8));
            rows.put(new RowKey(row.entities(), row.windowEndMs()), row);
        }
    }

    /** Finds the field by its quoted name. Quotes inside a value are escaped, so the name cannot occur there. */
    private static long windowEndMs(String head) {
        int begin = head.indexOf(WINDOW_END) + WINDOW_END.length();
        return Instant.parse(head.substring(begin, head.indexOf('"', begin))).toEpochMilli();
    }

    int size() {
        return prints.size();
    }

    /** The rows that are kept whole. */
    Map<RowKey, ParsedRow> rows() {
        return rows;
    }

    /** Heads of rows that were written twice with different values. */
    List<String> changed() {
        return changed;
    }

    /** How many times rows were written, by their heads, for rows that were written more than once. */
    Map<String, Integer> repeats() {
        return repeats;
    }

    /** Returns how these rows differ from others, in words by the row's head; empty if they are the same. */
    Map<String, String> differences(RowLedger others) {
        Map<String, String> differences = new TreeMap<>();
        prints.forEach((head, print) -> {
            Long other = others.prints.get(head);
            if (other == null) {
                differences.put(head + "}", "is not there");
            } else if (!other.equals(print)) {
                differences.put(head + "}", "has other values");
            }
        });
        others.prints.keySet().stream()
                .filter(head -> !prints.containsKey(head))
                .forEach(head -> differences.put(head + "}", "is there, but must not be"));
        return differences;
    }
}
