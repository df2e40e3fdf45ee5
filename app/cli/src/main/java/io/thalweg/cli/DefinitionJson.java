package io.thalweg.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.problem.Problem;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.runner.Console;
import io.thalweg.runner.Describe;
import java.util.List;

/** Definitions and their problems as JSON, for {@code --json}. */
final class DefinitionJson {
    private static final ObjectMapper JSON = new ObjectMapper();

    private DefinitionJson() {}

    static ObjectNode object() {
        return JSON.createObjectNode();
    }

    static ArrayNode list() {
        return JSON.createArrayNode();
    }

    static void print(ObjectNode answer, Console console) {
        console.out().println(answer.toPrettyString());
    }

    static ObjectNode view(FeatureView view) {
        ObjectNode node = object().put("kind", view.isTable() ? "Materialization" : "FeatureView");
        node.put("name", view.qualifiedName()).put("version", view.version());
        ArrayNode entities = node.putArray("entities");
        for (Entity entity : view.entities()) {
            ObjectNode each = entities.addObject().put("name", entity.name());
            if (entity instanceof Entity.Cell cell) {
                each.put("type", "h3").put("resolution", cell.resolution());
            } else {
                each.put("type", ((Entity.Field) entity).type().text());
            }
        }
        ArrayNode features = node.putArray("features");
        List<String> names = view.featureNames();
        for (int i = 0; i < names.size(); i++) {
            features.addObject()
                    .put("name", names.get(i))
                    .put("type", view.featureTypes().get(i));
        }
        node.put("source", Describe.source(view));
        return node.put("topic", view.sink() == null ? null : view.sink().topic());
    }

    static ObjectNode ingest(Ingest ingest) {
        return object().put("kind", "Ingest")
                .put("name", ingest.qualifiedName())
                .put("version", ingest.version())
                .put("format", ingest.input().format().text())
                .put("source", ingest.input().from().text())
                .put("sink", ingest.sink().text());
    }

    static ObjectNode problem(Problem problem) {
        ObjectNode node = object().put("file", problem.file());
        node.put("line", problem.line() == 0 ? null : (Integer) problem.line());
        return node.put("path", problem.path()).put("message", problem.message());
    }
}
