package io.thalweg.runner;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thalweg.history.TrainingSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The part of a training set that an interrupted run has written: a table beside the output, {@code train.interrupted.parquet}, and what
 * the run was in {@code train.interrupted.json}.
 *
 * @param rows the table
 * @param description of the run; only a run with the same description resumes
 */
record InterruptedSet(Path rows, String description) {
    private static final JsonMapper JSON = new JsonMapper();

    /** Returns where the part of an output is kept. */
    static InterruptedSet of(Path out, String description) {
        String name = out.getFileName().toString();
        int dot = name.lastIndexOf('.');
        return new InterruptedSet(
                out.resolveSibling(name.substring(0, dot) + ".interrupted" + name.substring(dot)), description);
    }

    private Path state() {
        String name = rows.getFileName().toString();
        return rows.resolveSibling(name.substring(0, name.lastIndexOf('.')) + ".json");
    }

    /** Returns what an interrupted run has written, if this run can resume it; null otherwise. */
    TrainingSet.@Nullable Begun begun() throws IOException {
        if (!Files.exists(rows) || !Files.exists(state())) {
            return null;
        }
        JsonNode kept = JSON.readTree(state().toFile());
        if (!kept.path("run").asText().equals(description)) {
            return null;
        }
        Map<String, Map<String, Long>> statuses = new TreeMap<>();
        kept.path("statuses").properties().forEach(view -> {
            Map<String, Long> counts = new TreeMap<>();
            view.getValue()
                    .properties()
                    .forEach(each -> counts.put(each.getKey(), each.getValue().asLong()));
            statuses.put(view.getKey(), counts);
        });
        return new TrainingSet.Begun(
                rows,
                new TrainingSet.Result(
                        kept.path("labels").asLong(), kept.path("log_bytes").asLong(), statuses, false));
    }

    /** Keeps the rows of a file that is not complete; without rows, keeps nothing. */
    void keep(FinishedFile file, TrainingSet.Result result) throws IOException {
        if (result.labels() == 0) {
            return;
        }
        Files.deleteIfExists(state());
        file.finishAs(rows);
        ObjectNode kept = JSON.createObjectNode()
                .put("run", description)
                .put("labels", result.labels())
                .put("log_bytes", result.logBytes());
        kept.set("statuses", JSON.valueToTree(result.statuses()));
        Files.writeString(state(), kept.toString());
    }

    /** Removes what is kept. */
    void forget() throws IOException {
        Files.deleteIfExists(state());
        Files.deleteIfExists(rows);
    }
}
