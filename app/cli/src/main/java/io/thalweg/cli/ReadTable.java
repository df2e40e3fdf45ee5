package io.thalweg.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.thalweg.runner.TextTable;
import io.thalweg.runner.Units;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Prints the answer to a read as tables. With few features, a table has a line per key; otherwise each key has a matrix of
 * rings and windows, or a line per feature if the features are not of rings. A row of a coarser cell shows numbers of cells
 * instead of status, window end and age.
 */
final class ReadTable {
    private static final int LIST_SHOWN = 3;

    private static final int FEW = 8;
    private static final Pattern RING_FEATURE = Pattern.compile("(k\\d+)_(\\w+)");

    private final JsonNode answer;
    private final List<String> features = new ArrayList<>();

    ReadTable(JsonNode answer) {
        this.answer = answer;
        answer.path("features").forEach(name -> features.add(name.asText()));
    }

    void print(PrintWriter out) {
        out.println(answer.path("view").asText() + ", watermark "
                + answer.path("watermark").asText("none yet"));
        if (features.size() <= FEW) {
            few(out);
            return;
        }
        for (JsonNode row : answer.path("rows")) {
            out.println();
            out.println(entities(row) + ": " + state(row));
            many(row).print(out, "  ");
        }
    }

    private void few(PrintWriter out) {
        List<String> head = new ArrayList<>(entityNames());
        boolean isAggregate = answer.path("rows").path(0).has("cells");
        int left = head.size() + (isAggregate ? 0 : 3);
        head.addAll(isAggregate ? List.of("cells", "present") : List.of("status", "window_end", "age"));
        head.addAll(features);
        TextTable table = new TextTable(left, head);
        for (JsonNode row : answer.path("rows")) {
            List<String> line = new ArrayList<>();
            row.path("entities").forEach(value -> line.add(value.asText()));
            line.addAll(
                    isAggregate
                            ? List.of(
                                    row.path("cells").asText(),
                                    row.path("present").asText())
                            : List.of(status(row), row.path("window_end").asText("-"), age(row)));
            row.path("values").forEach(value -> line.add(value(value)));
            table.add(line);
        }
        table.print(out, "");
    }

    private List<String> entityNames() {
        List<String> names = new ArrayList<>();
        answer.path("rows").path(0).path("entities").fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** Returns a table with rings as lines and windows as columns. */
    private TextTable many(JsonNode row) {
        Map<String, Map<String, String>> rings = new LinkedHashMap<>();
        Set<String> windows = new LinkedHashSet<>();
        for (int i = 0; i < features.size(); i++) {
            Matcher ring = RING_FEATURE.matcher(features.get(i));
            if (!ring.matches()) {
                return perFeature(row);
            }
            windows.add(ring.group(2));
            rings.computeIfAbsent(ring.group(1), name -> new LinkedHashMap<>())
                    .put(ring.group(2), value(row.path("values").path(i)));
        }
        List<String> head = new ArrayList<>(List.of(""));
        head.addAll(windows);
        TextTable table = new TextTable(1, head);
        rings.forEach((ring, values) -> {
            List<String> line = new ArrayList<>(List.of(ring));
            windows.forEach(window -> line.add(values.getOrDefault(window, "")));
            table.add(line);
        });
        return table;
    }

    private TextTable perFeature(JsonNode row) {
        TextTable table = new TextTable(1, List.of("feature", "value"));
        for (int i = 0; i < features.size(); i++) {
            table.add(List.of(features.get(i), value(row.path("values").path(i))));
        }
        return table;
    }

    private static String entities(JsonNode row) {
        List<String> pairs = new ArrayList<>();
        row.path("entities")
                .properties()
                .forEach(pair -> pairs.add(pair.getKey() + "=" + pair.getValue().asText()));
        return String.join(" ", pairs);
    }

    private static String state(JsonNode row) {
        if (row.has("cells")) {
            return "%s cells, %s present"
                    .formatted(row.path("cells").asText(), row.path("present").asText());
        }
        String end = row.path("window_end").asText("");
        return status(row) + (end.isEmpty() ? "" : ", window_end " + end + ", age " + age(row));
    }

    /** {@code PRESENT}; {@code PRESENT, PARTIAL} while the window fills. */
    private static String status(JsonNode row) {
        boolean partial = row.path("finality").asText().equals("PARTIAL");
        return row.path("status").asText() + (partial ? ", PARTIAL" : "");
    }

    /** {@code 0.8 s}; {@code -} where there is none. */
    private static String age(JsonNode row) {
        JsonNode ageMs = row.path("age_ms");
        return ageMs.isNumber() ? Units.age(ageMs.asLong()) : "-";
    }

    /** Rounds to four decimal places; {@code --json} prints all. */
    private static String value(JsonNode value) {
        if (value.isNull() || value.isMissingNode()) {
            return "-";
        }
        if (value.isArray()) {
            return list(value);
        }
        if (!value.isNumber() || value.isIntegralNumber()) {
            return value.asText();
        }
        return value.asDouble() == 0 ? "0" : String.format(Locale.ROOT, "%.4f", value.asDouble());
    }

    /** {@code [0.1200 -7.0000 … 128]}: the first values of an embedding, and its length. */
    private static String list(JsonNode list) {
        StringBuilder text = new StringBuilder("[");
        for (int i = 0; i < Math.min(LIST_SHOWN, list.size()); i++) {
            text.append(i == 0 ? "" : " ").append(value(list.get(i)));
        }
        return text.append(list.size() > LIST_SHOWN ? " … " + list.size() + "]" : "]")
                .toString();
    }
}
