package io.thalweg.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.model.view.FeatureView;
import io.thalweg.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Stream;

/** The rows in the feature logs of a run. */
final class LoggedRows {
    private static final ObjectMapper JSON = new ObjectMapper();

    private LoggedRows() {}

    /**
     * Requires that the log of a view has each row once, as in a plain recount.
     *
     * @param folder has the run's {@code thalweg.yaml}
     * @param definitions of several views, of which this is one
     */
    static void assertExactly(RiderFeed feed, Path folder, String definitions, FeatureView view, long seed)
            throws IOException {
        List<String> expected = new ArrayList<>();
        for (String line : feed.rows(view)) {
            expected.add(row(view, JSON.readTree(line)));
        }
        Path definition =
                Files.writeString(folder.resolve("log-of-" + view.name() + ".yaml"), ofOne(definitions, view));
        Await.until(
                "the log of " + view.name(),
                () -> logged(folder, definition, view).size() >= expected.size());
        List<String> logged = logged(folder, definition, view);
        SameRows.assertSame("rows in the log", new HashSet<>(logged), new HashSet<>(expected), seed);
        assertThat(logged).as("rows in the log, repeated").hasSameSizeAs(expected);
    }

    private static String row(FeatureView view, JsonNode json) {
        StringBuilder row = new StringBuilder();
        view.entities()
                .forEach(entity -> row.append(json.get(entity.name()).asText()).append(','));
        row.append(json.get("window_end").asText());
        json.get("features").forEach(value -> row.append(',').append(value.isNull() ? "" : value.asDouble()));
        return row.toString();
    }

    /** Returns the rows of a log, in the form of {@link #row}. */
    private static List<String> logged(Path folder, Path definition, FeatureView view) throws IOException {
        Path out = folder.resolve("log.csv");
        CommandRun run = CommandRun.of(
                "log", "export", "--config", folder.resolve("thalweg.yaml"), definition, "--out", out, "--quiet");
        assertThat(run.exit()).as(run.err()).isZero();
        List<String> rows = new ArrayList<>();
        int entities = view.entities().size();
        List<String> lines = Files.readAllLines(out);
        for (String line : lines.subList(1, lines.size())) {
            List<String> cells = new ArrayList<>(List.of(line.split(",", -1)));
            cells.remove(entities + 1); // the finality
            for (int i = entities + 1; i < cells.size(); i++) {
                cells.set(i, cells.get(i).isEmpty() ? "" : String.valueOf(Double.parseDouble(cells.get(i))));
            }
            rows.add(String.join(",", cells));
        }
        return rows;
    }

    private static String ofOne(String definitions, FeatureView view) {
        return Stream.of(definitions.split("---\n", -1))
                .filter(each -> each.contains("name: " + view.name() + "\n"))
                .findFirst()
                .orElseThrow();
    }
}
