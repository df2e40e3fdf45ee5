package io.thalweg.records.thrift;

import io.thalweg.records.thrift.IdlFile.ContainerValue;
import io.thalweg.records.thrift.IdlFile.IntegerValue;
import io.thalweg.records.thrift.IdlFile.NamedValue;
import io.thalweg.records.thrift.IdlFile.RealValue;
import io.thalweg.records.thrift.IdlFile.TextValue;
import io.thalweg.records.thrift.IdlFile.TypeName;
import io.thalweg.records.thrift.IdlFile.Value;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Parses the parts of IDL statements: types, constants and annotations. */
final class IdlParts {
    /** Types and constants nested more deeply are refused, so that no text can exhaust the stack. */
    private static final int DEEPEST = 64;

    private static final Set<String> CONTAINERS = Set.of("list", "set", "map");

    private final IdlTokens tokens;

    IdlParts(IdlTokens tokens) {
        this.tokens = tokens;
    }

    TypeName type() {
        return type(0);
    }

    Value value() {
        return value(0);
    }

    /** Returns a type in IDL notation, for error messages. */
    static String written(TypeName type) {
        return switch (type.name()) {
            case "list", "set" -> type.name() + "<" + written(type.parameters().get(0)) + ">";
            case "map" ->
                "map<" + written(type.parameters().get(0)) + ", "
                        + written(type.parameters().get(1)) + ">";
            default -> type.name();
        };
    }

    private TypeName type(int depth) {
        int line = tokens.line;
        String name = tokens.name("a type");
        List<TypeName> parameters = CONTAINERS.contains(name) ? parameters(name, deeper(depth)) : List.of();
        return new TypeName(name, parameters, annotations(), line);
    }

    private List<TypeName> parameters(String container, int depth) {
        String hint = container.equals("map") ? "write map<string, i64>" : "write " + container + "<string>";
        cppType();
        tokens.expect("<", hint);
        List<TypeName> parameters = new ArrayList<>();
        parameters.add(type(depth));
        if (container.equals("map")) {
            tokens.expect(",", hint);
            parameters.add(type(depth));
        }
        tokens.expect(">", hint);
        cppType();
        return List.copyOf(parameters);
    }

    private void cppType() {
        if (tokens.skip("cpp_type")) {
            tokens.literal("write cpp_type \"std::vector\"");
        }
    }

    private Value value(int depth) {
        return switch (tokens.kind) {
            case INTEGER -> new IntegerValue(tokens.integer("write a number"));
            case REAL -> new RealValue(real());
            case LITERAL -> new TextValue(tokens.next());
            case NAME -> new NamedValue(tokens.next());
            default -> container(deeper(depth));
        };
    }

    private double real() {
        try {
            return Double.parseDouble(tokens.next());
        } catch (NumberFormatException e) {
            throw tokens.error("a number must have digits; write 0.5");
        }
    }

    private Value container(int depth) {
        boolean map = tokens.is("{");
        if (!map && !tokens.is("[")) {
            throw tokens.error("expected a value, found " + tokens.found()
                    + "; write a number, a text in quotes, a name, " + "[...] or {...}");
        }
        tokens.next();
        String close = map ? "}" : "]";
        boolean empty = tokens.is(close);
        while (!tokens.skip(close)) {
            value(depth);
            if (map) {
                tokens.expect(":", "write {key: value}");
                value(depth);
            }
            tokens.skipSeparator();
        }
        return new ContainerValue(empty);
    }

    private int deeper(int depth) {
        if (depth == DEEPEST) {
            throw tokens.error(
                    "nested more than " + DEEPEST + " levels; write a typedef or a const for the inner ones");
        }
        return depth + 1;
    }

    Map<String, String> annotations() {
        if (!tokens.skip("(")) {
            return Map.of();
        }
        Map<String, String> annotations = new LinkedHashMap<>();
        while (!tokens.skip(")")) {
            String key = tokens.name("an annotation");
            if (key.startsWith("thalweg.") && !key.equals(ThriftIdl.MEANING)) {
                throw tokens.error("unknown annotation '" + key + "'; write " + ThriftIdl.MEANING + " = \""
                        + ThriftType.meanings() + "\"");
            }
            annotations.put(key, tokens.skip("=") ? tokens.literal("write " + key + " = \"value\"") : "1");
            tokens.skipSeparator();
        }
        return annotations;
    }
}
