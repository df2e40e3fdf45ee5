package io.thalweg.records.thrift;

import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.thrift.IdlFile.ConstOf;
import io.thalweg.records.thrift.IdlFile.Definition;
import io.thalweg.records.thrift.IdlFile.EnumOf;
import io.thalweg.records.thrift.IdlFile.FieldOf;
import io.thalweg.records.thrift.IdlFile.Include;
import io.thalweg.records.thrift.IdlFile.SenumOf;
import io.thalweg.records.thrift.IdlFile.StructOf;
import io.thalweg.records.thrift.IdlFile.TypeName;
import io.thalweg.records.thrift.IdlFile.TypedefOf;
import io.thalweg.records.thrift.IdlFile.Value;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Parses Thrift IDL.
 *
 * <p><b>Language.</b> That of Thrift's own compiler, with two exceptions. Fields must have an explicit id other than 0, because
 * ids that the compiler assigns depend on its options. Services are skipped: only their braces must match. Parts that do not
 * affect messages (namespaces, {@code cpp_include}, {@code cpp_type}, {@code xsd_*}, foreign annotations) are read and dropped.
 * The only annotation that starts with {@code thalweg.} is {@code thalweg.type}; others are refused.
 *
 * <p><b>Errors.</b> {@link SchemaException} with file, line and a remedy.
 */
final class ThriftIdl {
    /** The annotation that gives a type a meaning that IDL cannot express. */
    static final String MEANING = "thalweg.type";

    private static final Set<String> OLD_NAMESPACES = Set.of(
            "cpp_namespace",
            "php_namespace",
            "py_module",
            "perl_package",
            "ruby_namespace",
            "smalltalk_category",
            "smalltalk_prefix",
            "java_package",
            "cocoa_prefix",
            "xsd_namespace",
            "csharp_namespace",
            "delphi_namespace");

    private final String file;
    private final IdlTokens tokens;
    private final IdlParts parts;
    private final List<Include> includes = new ArrayList<>();
    private final Map<String, Definition> definitions = new LinkedHashMap<>();

    private ThriftIdl(String file, String text) {
        this.file = file;
        this.tokens = new IdlTokens(file, text);
        this.parts = new IdlParts(tokens);
    }

    /**
     * Parses one file, without its includes.
     *
     * @param file name for error messages
     */
    static IdlFile parse(String file, String text) {
        ThriftIdl parser = new ThriftIdl(file, text);
        while (parser.tokens.kind != IdlTokens.Kind.END) {
            parser.statement();
        }
        return new IdlFile(file, List.copyOf(parser.includes), parser.definitions);
    }

    private void statement() {
        int line = tokens.line;
        String keyword = tokens.name("a statement, such as struct");
        switch (keyword) {
            case "include" -> includes.add(new Include(tokens.literal("write include \"other.thrift\""), line));
            case "cpp_include" -> tokens.literal("write cpp_include \"header.h\"");
            case "namespace" -> namespace();
            case "typedef" -> typedef(line);
            case "const" -> constant(line);
            case "enum" -> enumeration(line);
            case "senum" -> senumeration(line);
            case "struct" -> struct(IdlFile.Kind.STRUCT, line);
            case "union" -> struct(IdlFile.Kind.UNION, line);
            case "exception" -> struct(IdlFile.Kind.EXCEPTION, line);
            case "service" -> service(line);
            default -> {
                if (!OLD_NAMESPACES.contains(keyword)) {
                    throw tokens.error(
                            line,
                            "unknown statement '" + keyword + "'; write struct, union, exception, enum, "
                                    + "typedef, const, include, namespace or service");
                }
                tokens.next();
            }
        }
        tokens.skipSeparator();
    }

    private void namespace() {
        if (!tokens.skip("*")) {
            tokens.name("a language, such as java");
        }
        if (tokens.kind == IdlTokens.Kind.LITERAL) {
            tokens.next();
        } else {
            tokens.name("a namespace");
        }
        while (tokens.skip("-")) { // Smalltalk's may contain dashes.
            tokens.next();
        }
        parts.annotations();
    }

    private void typedef(int line) {
        TypeName type = parts.type();
        define(new TypedefOf(tokens.name("the typedef"), type, parts.annotations(), line));
    }

    private void constant(int line) {
        TypeName type = parts.type();
        String name = tokens.name("the constant");
        tokens.expect("=", "write const " + type.name() + " " + name + " = VALUE");
        define(new ConstOf(name, type, parts.value(), line));
    }

    private void enumeration(int line) {
        String name = tokens.name("the enum");
        tokens.expect("{", "write enum " + name + " { FIRST = 0 }");
        List<ThriftType.Symbol> symbols = new ArrayList<>();
        Set<String> names = new HashSet<>();
        long next = 0;
        while (!tokens.skip("}")) {
            int where = tokens.line;
            String symbol = tokens.name("a symbol of enum " + name);
            long number = tokens.skip("=") ? tokens.integer("write " + symbol + " = NUMBER") : next;
            if (number != (int) number) {
                throw tokens.error(where, "the number of '" + symbol + "' must fit into 32 bits, was " + number);
            }
            if (!names.add(symbol)) {
                throw tokens.error(where, "enum " + name + " has '" + symbol + "' twice; rename or remove one");
            }
            symbols.add(new ThriftType.Symbol((int) number, symbol));
            next = number + 1;
            parts.annotations();
            tokens.skipSeparator();
        }
        parts.annotations();
        define(new EnumOf(name, List.copyOf(symbols), line));
    }

    private void senumeration(int line) {
        String name = tokens.name("the senum");
        tokens.expect("{", "write senum " + name + " { \"first\" }");
        while (!tokens.skip("}")) {
            tokens.literal("close the senum with }");
            tokens.skipSeparator();
        }
        parts.annotations();
        define(new SenumOf(name, line));
    }

    private void struct(IdlFile.Kind kind, int line) {
        String what = kind.name().toLowerCase(Locale.ROOT);
        String name = tokens.name("the " + what);
        tokens.skip("xsd_all");
        tokens.expect("{", "write " + what + " " + name + " { 1: string first }");
        List<FieldOf> fields = fields(name);
        parts.annotations();
        define(new StructOf(name, kind, fields, line));
    }

    /** Parses the fields up to and including the closing brace. */
    private List<FieldOf> fields(String struct) {
        List<FieldOf> fields = new ArrayList<>();
        Map<Integer, String> ids = new LinkedHashMap<>();
        Set<String> names = new HashSet<>();
        while (!tokens.skip("}")) {
            if (tokens.kind == IdlTokens.Kind.END) {
                throw tokens.error("'" + struct + "' is not closed; write } after its last field");
            }
            FieldOf field = field(struct);
            String other = field.id() == 0 ? null : ids.put(field.id(), field.name());
            if (other != null) {
                throw tokens.error(
                        field.line(),
                        "fields '%s' and '%s' of '%s' have the same id %d; write %d: for one of them"
                                .formatted(other, field.name(), struct, field.id(), unused(ids.keySet())));
            }
            if (!names.add(field.name())) {
                throw tokens.error(
                        field.line(), "'" + struct + "' has field '" + field.name() + "' twice; rename or remove one");
            }
            fields.add(field);
        }
        return List.copyOf(fields);
    }

    private FieldOf field(String struct) {
        int line = tokens.line;
        int id = tokens.kind == IdlTokens.Kind.INTEGER ? id() : 0;
        boolean required = tokens.skip("required");
        if (!required) {
            tokens.skip("optional");
        }
        TypeName type = parts.type();
        tokens.skip("&"); // A reference in generated C++.
        String name = tokens.name("a field of '" + struct + "'");
        Value absent = tokens.skip("=") ? parts.value() : null;
        xsdOptions(struct);
        Map<String, String> annotations = parts.annotations();
        tokens.skipSeparator();
        return new FieldOf(id, name, required, type, absent, annotations, line);
    }

    private int id() {
        int line = tokens.line;
        long id = tokens.integer("write an id such as 1:");
        tokens.expect(":", "write " + id + ": before the type of the field");
        if (id == 0 || id != (short) id) {
            throw tokens.error(line, "the id of a field must be 1 to 32767, or negative down to -32768, was " + id);
        }
        return (int) id;
    }

    static int unused(Set<Integer> ids) {
        int id = 1;
        while (ids.contains(id)) {
            id++;
        }
        return id;
    }

    private void xsdOptions(String struct) {
        tokens.skip("xsd_optional");
        tokens.skip("xsd_nillable");
        if (tokens.skip("xsd_attrs")) {
            tokens.expect("{", "write xsd_attrs { 1: string first }");
            fields(struct);
        }
    }

    private void service(int line) {
        String name = tokens.name("the service");
        while (!tokens.is("{")) {
            refuseEnd(line, name);
            tokens.next();
        }
        int open = 0;
        do {
            refuseEnd(line, name);
            open += tokens.is("{") ? 1 : tokens.is("}") ? -1 : 0;
            tokens.next();
        } while (open > 0);
        parts.annotations();
    }

    private void refuseEnd(int line, String service) {
        if (tokens.kind == IdlTokens.Kind.END) {
            throw tokens.error(line, "service '" + service + "' is not closed; write } at its end");
        }
    }

    private void define(Definition definition) {
        @Nullable Definition other = definitions.putIfAbsent(definition.name(), definition);
        if (other != null) {
            throw new SchemaException("%s:%d: '%s' is already defined in line %d; rename one"
                    .formatted(file, definition.line(), definition.name(), other.line()));
        }
    }
}
