package io.thalweg.records.json;

import io.thalweg.records.schema.SchemaException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Infers a JSON Schema from samples, as a draft for an author; it is never used while messages are read.
 *
 * <p><b>Rules.</b> Numbers are {@code integer} unless one has a fraction or an exponent. If all strings at a path are RFC 3339
 * moments, dates or UUIDs, they have that format. A member is required if all objects at its path contain it. Objects with more
 * than {@value JsonSample#MAX_NAMES} distinct names are maps, except for the document itself. Members are in the order of their
 * first appearance.
 *
 * <p><b>Conflicts.</b> A member whose values have several types, or none, is left out of the schema and listed as a conflict.
 *
 * <p><b>Threads.</b> One.
 */
public final class JsonSchemaInference {
    private final JsonSample root = new JsonSample();

    /**
     * The result of the inference.
     *
     * @param schema the text of a JSON Schema that {@link JsonSchema} reads
     * @param conflicts members that the schema leaves out: the path, what was found where, and what to do
     */
    public record Inferred(String schema, List<String> conflicts) {
        public Inferred {
            conflicts = List.copyOf(conflicts);
        }
    }

    /**
     * Adds a document.
     *
     * @param where for messages, such as {@code line 3}
     * @throws SchemaException if it is not one JSON object
     */
    public void add(String document, String where) {
        JsonTree tree = JsonTree.parse(document, where);
        if (!(tree instanceof JsonTree.Obj)) {
            throw new SchemaException("cannot read " + where + ": a document must be an object");
        }
        root.addRoot(tree, where);
    }

    /**
     * Infers the schema.
     *
     * @throws SchemaException if no member of any document has a type
     */
    public Inferred infer() {
        List<String> conflicts = new ArrayList<>();
        JsonTree.Obj schema = schema(root, "", conflicts);
        if (schema == null) {
            throw new SchemaException("cannot infer a schema: no member of any document has values of one type"
                    + (conflicts.isEmpty() ? "" : "; " + String.join("; ", conflicts)));
        }
        Map<String, JsonTree> members = new LinkedHashMap<>();
        members.put("$schema", new JsonTree.Text("https://json-schema.org/draft/2020-12/schema"));
        members.putAll(schema.members());
        return new Inferred(JsonTreeText.pretty(new JsonTree.Obj(members)), conflicts);
    }

    /** Returns the schema of the values at a path, or null after adding a conflict. */
    private static JsonTree.@Nullable Obj schema(JsonSample sample, String path, List<String> conflicts) {
        String conflict = sample.conflict();
        if (conflict != null) {
            conflicts.add((path.isEmpty() ? "the document" : "'" + path + "'") + ": " + conflict);
            return null;
        }
        Map<String, JsonTree> schema = new LinkedHashMap<>();
        String type = sample.type();
        JsonTree name = new JsonTree.Text(type);
        JsonTree orNull = new JsonTree.Arr(List.of(name, new JsonTree.Text("null")));
        schema.put("type", sample.hasNulls() ? orNull : name);
        if (type.equals("string") && !sample.format().isEmpty()) {
            schema.put("format", new JsonTree.Text(sample.format()));
        }
        boolean isComplete = true;
        if (type.equals("array")) {
            isComplete = putPart("items", sample.part(), path + "[]", schema, conflicts);
        } else if (sample.isMap()) {
            isComplete = putPart("additionalProperties", sample.part(), path + "{}", schema, conflicts);
        } else if (type.equals("object")) {
            isComplete = putProperties(sample, path, schema, conflicts);
        }
        return isComplete ? new JsonTree.Obj(schema) : null;
    }

    private static boolean putPart(
            String keyword, JsonSample part, String path, Map<String, JsonTree> schema, List<String> conflicts) {
        JsonTree inferred = schema(part, path, conflicts);
        if (inferred != null) {
            schema.put(keyword, inferred);
        }
        return inferred != null;
    }

    private static boolean putProperties(
            JsonSample sample, String path, Map<String, JsonTree> schema, List<String> conflicts) {
        Map<String, JsonTree> properties = new LinkedHashMap<>();
        List<JsonTree> required = new ArrayList<>();
        sample.members().forEach((name, member) -> {
            JsonTree inferred = schema(member, path.isEmpty() ? name : path + "." + name, conflicts);
            if (inferred != null) {
                properties.put(name, inferred);
                if (member.count() == sample.objects()) {
                    required.add(new JsonTree.Text(name));
                }
            }
        });
        schema.put("properties", new JsonTree.Obj(properties));
        if (!required.isEmpty()) {
            schema.put("required", new JsonTree.Arr(required));
        }
        return !properties.isEmpty();
    }
}
