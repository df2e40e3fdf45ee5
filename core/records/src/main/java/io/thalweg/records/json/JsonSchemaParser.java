package io.thalweg.records.json;

import static java.util.Objects.requireNonNull;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Recursive;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Converts the tree of a JSON Schema to types. One parser reads one schema. */
final class JsonSchemaParser {
    private static final String REMOVE =
            "write a type, or remove the member: members that the schema does not have are skipped";

    /** Keywords that would allow values that no column can hold, with what to write instead. */
    private static final Map<String, String> UNSUPPORTED = Map.ofEntries(
            Map.entry("allOf", "write one object that has the properties of all parts"),
            Map.entry("patternProperties", "write additionalProperties with one schema for all values"),
            Map.entry("prefixItems", "write an object, or items with one schema for all elements"),
            Map.entry("additionalItems", "write an object, or items with one schema for all elements"),
            Map.entry("unevaluatedProperties", "write additionalProperties"),
            Map.entry("unevaluatedItems", "write items"),
            Map.entry("dependentSchemas", "write the properties of all cases as optional"),
            Map.entry("dependencies", "write the properties of all cases as optional"),
            Map.entry("if", "write the properties of all cases as optional"),
            Map.entry("then", "write the properties of all cases as optional"),
            Map.entry("else", "write the properties of all cases as optional"),
            Map.entry("$dynamicRef", "write $ref"),
            Map.entry("$recursiveRef", "write $ref"));

    /** Keywords that must not appear beside a reference or a choice. */
    private static final List<String> STRUCTURAL =
            List.of("$ref", "anyOf", "oneOf", "type", "properties", "additionalProperties", "items", "enum", "format");

    /** References can multiply a schema; a schema with more nodes than this is not a table. */
    private static final int MAX_NODES = 20_000;

    /** Deeper schemas are refused, because no message is read to that depth. */
    private static final int MAX_DEPTH = 200;

    private final JsonTree text;
    private final String file;
    private final Set<String> openReferences = new HashSet<>();
    private int nodes;
    private int depth;

    JsonSchemaParser(JsonTree text, String file) {
        this.text = text;
        this.file = file;
    }

    /** The description of a value in a schema. */
    private record Described(
            JsonType type, boolean nullable, @Nullable JsonTree absent) {
        Described orNull() {
            return new Described(type, true, absent);
        }

        Described or(@Nullable JsonTree outerDefault) {
            return outerDefault == null ? this : new Described(type, nullable, outerDefault);
        }
    }

    JsonType root() {
        openReferences.add("#");
        Described root = describe(text, "#");
        if (root.type().spelling() != Spelling.STRUCT || root.nullable()) {
            throw problem("#", "the root must be an object with properties; wrap it in one");
        }
        return root.type();
    }

    private Described describe(JsonTree tree, String at) {
        if (++nodes > MAX_NODES || ++depth > MAX_DEPTH) {
            throw problem(
                    at,
                    "with its references resolved, the schema has more than %d parts or %d levels; remove what is not needed"
                            .formatted(MAX_NODES, MAX_DEPTH));
        }
        if (!(tree instanceof JsonTree.Obj schema)) {
            throw problem(at, "a schema that allows or forbids everything is not supported; " + REMOVE);
        }
        for (String keyword : schema.members().keySet()) {
            String instead = UNSUPPORTED.get(keyword);
            if (instead != null) {
                throw problem(at + "/" + keyword, keyword + " is not supported; " + instead);
            }
        }
        Described described;
        if (schema.has("$ref")) {
            described = reference(schema, at);
        } else if (schema.has("anyOf") || schema.has("oneOf")) {
            described = choice(schema, schema.has("anyOf") ? "anyOf" : "oneOf", at);
        } else {
            described = typed(schema, at);
        }
        depth--;
        return described.or(schema.get("default"));
    }

    private Described reference(JsonTree.Obj schema, String at) {
        refuseSiblings(schema, "$ref", at);
        String reference = string(schema, "$ref", at);
        JsonTree target = resolve(reference, at);
        if (!openReferences.add(reference)) {
            String name = reference.substring(reference.lastIndexOf('/') + 1);
            return new Described(new JsonType(new Recursive(name), Spelling.SKIPPED, List.of()), false, null);
        }
        Described described = describe(target, reference);
        openReferences.remove(reference);
        return described;
    }

    private JsonTree resolve(String reference, String at) {
        JsonTree found = text;
        if (!reference.equals("#") && !reference.startsWith("#/")) {
            throw problem(
                    at + "/$ref",
                    "'" + reference + "' is not in this file; copy the schema to $defs and write #/$defs/NAME");
        }
        List<String> steps = List.of(reference.split("/", -1));
        for (String step : steps.subList(1, steps.size())) {
            String name = unescaped(step, at);
            JsonTree next = found instanceof JsonTree.Obj object ? object.get(name) : null;
            if (next == null) {
                throw problem(at + "/$ref", "'" + reference + "' is not there; '" + name + "' is missing");
            }
            found = next;
        }
        return found;
    }

    /** Decodes a step of a JSON pointer within a URI. */
    private String unescaped(String step, String at) {
        try {
            return URLDecoder.decode(step.replace("+", "%2B"), StandardCharsets.UTF_8)
                    .replace("~1", "/")
                    .replace("~0", "~");
        } catch (IllegalArgumentException e) {
            throw problem(at + "/$ref", "'" + step + "' has a % without two hexadecimal digits; write %25 for %");
        }
    }

    private Described choice(JsonTree.Obj schema, String keyword, String at) {
        refuseSiblings(schema, keyword, at);
        List<JsonTree> choices = elements(schema, keyword, at);
        boolean nullable = choices.stream().anyMatch(JsonSchemaParser::isNull);
        List<JsonTree> others =
                choices.stream().filter(choice -> !isNull(choice)).toList();
        if (others.size() != 1) {
            throw problem(
                    at + "/" + keyword,
                    "only one schema, or one and {\"type\": \"null\"}, can be chosen from; "
                            + "write an object with an optional property for each case");
        }
        Described chosen = describe(others.get(0), at + "/" + keyword + "/" + choices.indexOf(others.get(0)));
        return nullable ? chosen.orNull() : chosen;
    }

    private static boolean isNull(JsonTree schema) {
        return schema instanceof JsonTree.Obj object
                && object.get("type") instanceof JsonTree.Text type
                && type.value().equals("null");
    }

    private void refuseSiblings(JsonTree.Obj schema, String keyword, String at) {
        for (String sibling : STRUCTURAL) {
            if (!sibling.equals(keyword) && schema.has(sibling)) {
                throw problem(
                        at + "/" + sibling,
                        sibling + " cannot be beside " + keyword + "; move it into what is referred to");
            }
        }
    }

    private Described typed(JsonTree.Obj schema, String at) {
        Set<String> types = types(schema, at);
        boolean nullable = types.remove("null");
        if (schema.get("enum") instanceof JsonTree.Arr names && names.elements().contains(new JsonTree.Null())) {
            nullable = true;
        }
        if (types.size() != 1) {
            throw problem(
                    at + "/type",
                    types.isEmpty()
                            ? "the type is missing; " + REMOVE
                            : "several types " + types + " cannot share a column; write one, or one and null");
        }
        String type = types.iterator().next();
        JsonType parsed = switch (type) {
            case "object" -> object(schema, at);
            case "array" -> array(schema, at);
            default -> new JsonScalars(schema, file, at).parse(type);
        };
        return new Described(parsed, nullable, null);
    }

    /** Returns the types that a value may have, as written or as implied by keywords that only one type has. */
    private Set<String> types(JsonTree.Obj schema, String at) {
        Set<String> types = new LinkedHashSet<>();
        JsonTree written = schema.get("type");
        if (written instanceof JsonTree.Text type) {
            types.add(type.value());
        } else if (written != null) {
            for (JsonTree type : elements(schema, "type", at)) {
                types.add(type instanceof JsonTree.Text name ? name.value() : type.toString());
            }
        } else if (schema.has("properties") || schema.has("additionalProperties")) {
            types.add("object");
        } else if (schema.has("items")) {
            types.add("array");
        } else if (JsonScalars.hasSymbols(schema)) {
            types.add("string");
        }
        return types;
    }

    private JsonType object(JsonTree.Obj schema, String at) {
        JsonTree properties = schema.get("properties");
        JsonTree additional = schema.get("additionalProperties");
        boolean hasMembers =
                properties instanceof JsonTree.Obj object && !object.members().isEmpty();
        boolean isMap =
                additional instanceof JsonTree.Obj object && !object.members().isEmpty();
        if (hasMembers && isMap) {
            throw problem(
                    at + "/additionalProperties",
                    "an object has either named properties or, as a map, additionalProperties with a schema; "
                            + "remove one of them");
        }
        if (isMap) {
            Described value = describe(requireNonNull(additional), at + "/additionalProperties");
            MapOf map = new MapOf(FieldType.TEXT, value.type().type(), !value.nullable());
            return new JsonType(map, Spelling.MAP, List.of(value.type()));
        }
        if (!hasMembers) {
            throw problem(
                    at,
                    "an object must have properties, or additionalProperties with a schema as a map; "
                            + "or remove the member: members that the schema does not have are skipped");
        }
        return struct(schema, (JsonTree.Obj) requireNonNull(properties), at);
    }

    private JsonType struct(JsonTree.Obj schema, JsonTree.Obj properties, String at) {
        Set<String> required = required(schema, properties, at);
        List<Field> fields = new ArrayList<>();
        List<JsonType> types = new ArrayList<>();
        properties.members().forEach((name, tree) -> {
            String pointer = at + "/properties/" + escaped(name);
            if (!StandardCharsets.UTF_8.newEncoder().canEncode(name)) {
                throw problem(pointer, "the name has a surrogate without its other half; rename it");
            }
            Described described = describe(tree, pointer);
            Object absent = described.absent() == null
                    ? null
                    : JsonDefaults.value(described.type(), described.absent(), file + pointer + "/default");
            boolean isRequired = required.contains(name) && !described.nullable();
            fields.add(new Field(name, described.type().type(), isRequired, absent));
            types.add(described.type());
        });
        return new JsonType(new Struct(fields), Spelling.STRUCT, types);
    }

    private Set<String> required(JsonTree.Obj schema, JsonTree.Obj properties, String at) {
        Set<String> required = new HashSet<>();
        if (!schema.has("required")) {
            return required;
        }
        for (JsonTree name : elements(schema, "required", at)) {
            if (!(name instanceof JsonTree.Text text) || !properties.has(text.value())) {
                String found = name instanceof JsonTree.Text text ? text.value() : "a value that is not a string";
                throw problem(
                        at + "/required",
                        "'" + found + "' is not one of the properties; add it to them or remove it from required");
            }
            required.add(text.value());
        }
        return required;
    }

    private JsonType array(JsonTree.Obj schema, String at) {
        JsonTree items = schema.get("items");
        if (items == null) {
            throw problem(at, "an array must have items with the schema of its elements; add it");
        }
        if (items instanceof JsonTree.Arr) {
            throw problem(
                    at + "/items",
                    "a tuple is not supported; write an object, or items with one schema for all elements");
        }
        Described element = describe(items, at + "/items");
        ListOf list = new ListOf(element.type().type(), !element.nullable());
        return new JsonType(list, Spelling.LIST, List.of(element.type()));
    }

    private List<JsonTree> elements(JsonTree.Obj schema, String keyword, String at) {
        if (schema.get(keyword) instanceof JsonTree.Arr array) {
            return array.elements();
        }
        throw problem(at + "/" + keyword, keyword + " must be an array");
    }

    private String string(JsonTree.Obj schema, String keyword, String at) {
        if (schema.get(keyword) instanceof JsonTree.Text value) {
            return value.value();
        }
        throw problem(at + "/" + keyword, keyword + " must be a string");
    }

    private static String escaped(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }

    private SchemaException problem(String at, String what) {
        return new SchemaException(file + at + ": " + what);
    }
}
