package io.thalweg.records.thrift;

import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.thrift.IdlFile.EnumOf;
import io.thalweg.records.thrift.IdlFile.FieldOf;
import io.thalweg.records.thrift.IdlFile.SenumOf;
import io.thalweg.records.thrift.IdlFile.StructOf;
import io.thalweg.records.thrift.IdlFile.TypeName;
import io.thalweg.records.thrift.IdlFile.TypedefOf;
import io.thalweg.records.thrift.IdlFiles.Found;
import io.thalweg.records.thrift.ThriftStruct.ThriftField;
import io.thalweg.records.thrift.ThriftType.Scalar;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Resolves the names in IDL files: from the struct of a message to all structs that it can contain. */
final class ThriftModel {
    /** A chain of typedefs of this length is treated as a cycle. */
    private static final int LONGEST_CHAIN = 100;

    private static final Map<String, Scalar> BASE_TYPES = Map.of(
            "bool", Scalar.BOOL,
            "byte", Scalar.I8,
            "i8", Scalar.I8,
            "i16", Scalar.I16,
            "i32", Scalar.I32,
            "i64", Scalar.I64,
            "double", Scalar.DOUBLE,
            "string", Scalar.STRING,
            "binary", Scalar.BINARY,
            "uuid", Scalar.UUID);

    private static final Map<String, Scalar> MEANINGS = Arrays.stream(Scalar.values())
            .filter(type -> type.base != null)
            .collect(Collectors.toUnmodifiableMap(Scalar::meaning, Function.identity()));

    private final IdlFiles files;
    private final ThriftDefaults defaults;
    private final Map<String, ThriftStruct> structs = new LinkedHashMap<>();
    private final Set<String> known = new HashSet<>();
    private final Deque<Found> open = new ArrayDeque<>();

    private ThriftModel(IdlFiles files) {
        this.files = files;
        this.defaults = new ThriftDefaults(files);
    }

    /** An annotation {@code thalweg.type} and its position. */
    private record Meaning(IdlFile file, int line, String text) {}

    /** Returns the structs that a message of a type can contain, by key; the first is the type itself. */
    static Map<String, ThriftStruct> of(IdlFiles files, @Nullable String type) {
        ThriftModel model = new ThriftModel(files);
        model.enqueue(model.root(type));
        while (!model.open.isEmpty()) {
            Found next = model.open.remove();
            model.structs.put(key(next), model.struct(next.file(), (StructOf) next.definition()));
        }
        return model.structs;
    }

    private Found root(@Nullable String type) {
        List<String> names = structs(files.main());
        if (type == null) {
            if (names.size() != 1) {
                throw new SchemaException(
                        names.isEmpty()
                                ? files.main().file() + " defines no struct; name the file that does"
                                : files.main().file() + " defines several structs; write 'type' with one of "
                                        + String.join(", ", names));
            }
            return Objects.requireNonNull(files.find(files.main(), names.get(0)));
        }
        Found found = followed(files.main(), type);
        if (found == null || !(found.definition() instanceof StructOf)) {
            throw new SchemaException(
                    "'" + type + "' is not a struct of " + files.main().file() + "; write 'type' with "
                            + (names.isEmpty()
                                    ? "a struct of an included file, such as common.Event"
                                    : "one of " + String.join(", ", names)));
        }
        return found;
    }

    /** Returns the candidates for the type of a message if none is named: structs, or unions if there are no structs. */
    private static List<String> structs(IdlFile file) {
        List<String> structs = ofKind(file, IdlFile.Kind.STRUCT);
        return structs.isEmpty() ? ofKind(file, IdlFile.Kind.UNION) : structs;
    }

    private static List<String> ofKind(IdlFile file, IdlFile.Kind kind) {
        return file.definitions().values().stream()
                .filter(definition -> definition instanceof StructOf struct && struct.kind() == kind)
                .map(IdlFile.Definition::name)
                .toList();
    }

    /** Returns the definition of a name after following typedefs. */
    private @Nullable Found followed(IdlFile file, String name) {
        Found found = files.find(file, name);
        for (int i = 0; i < LONGEST_CHAIN && found != null && found.definition() instanceof TypedefOf typedef; i++) {
            found = files.find(found.file(), typedef.type().name());
        }
        return found;
    }

    private static String key(Found found) {
        return found.file().file() + ":" + found.definition().name();
    }

    private String enqueue(Found struct) {
        String key = key(struct);
        if (known.add(key)) {
            open.add(struct);
        }
        return key;
    }

    private ThriftStruct struct(IdlFile file, StructOf struct) {
        boolean union = struct.kind() == IdlFile.Kind.UNION;
        List<ThriftField> fields = new ArrayList<>();
        for (FieldOf field : struct.fields()) {
            requireId(file, struct, field);
            ThriftType type = type(file, field.type(), meaning(file, field.annotations(), field.line(), null), 0);
            boolean required = field.required() && !union;
            Object absent = required || union || field.absent() == null
                    ? null
                    : defaults.of(file, field.line(), field.name(), field.absent(), type);
            fields.add(new ThriftField(field.id(), field.name(), type, required, absent));
        }
        return new ThriftStruct(struct.name(), union, List.copyOf(fields));
    }

    /** A struct that no message uses may have fields without an id, which old IDL allows. */
    private static void requireId(IdlFile file, StructOf struct, FieldOf field) {
        if (field.id() == 0) {
            Set<Integer> ids = struct.fields().stream().map(FieldOf::id).collect(Collectors.toSet());
            throw file.error(
                    field.line(),
                    "field '%s' of '%s' has no id; write %d: %s %s, with the id that its producers use"
                            .formatted(
                                    field.name(),
                                    struct.name(),
                                    ThriftIdl.unused(ids),
                                    IdlParts.written(field.type()),
                                    field.name()));
        }
    }

    /** Returns the outermost annotation: that of a field before that of its type, that of a typedef last. */
    private static @Nullable Meaning meaning(
            IdlFile file, Map<String, String> annotations, int line, @Nullable Meaning outer) {
        String text = annotations.get(ThriftIdl.MEANING);
        return outer != null || text == null ? outer : new Meaning(file, line, text);
    }

    private ThriftType type(IdlFile file, TypeName type, @Nullable Meaning outer, int chain) {
        Meaning meaning = meaning(file, type.annotations(), type.line(), outer);
        Scalar base = BASE_TYPES.get(type.name());
        if (base != null) {
            return meaning == null ? base : annotated(base, type.name(), meaning);
        }
        if (type.parameters().isEmpty()) {
            return type.name().equals("slist") ? Scalar.STRING : named(file, type, meaning, chain);
        }
        refuse(meaning, type.name());
        ThriftType first = type(file, type.parameters().get(0), null, chain);
        return switch (type.name()) {
            case "list" -> new ThriftType.ListOf(first);
            case "set" -> new ThriftType.SetOf(first);
            default -> new ThriftType.MapOf(first, type(file, type.parameters().get(1), null, chain));
        };
    }

    private ThriftType named(IdlFile file, TypeName type, @Nullable Meaning meaning, int chain) {
        Found found = files.find(file, type.name());
        if (found == null) {
            throw file.error(
                    type.line(),
                    "'" + type.name() + "' is not defined; define it, or include the file that does"
                            + (type.name().contains(".") ? "" : " and write its name before a dot"));
        }
        if (found.definition() instanceof TypedefOf typedef) {
            if (chain == LONGEST_CHAIN) {
                throw file.error(type.line(), "typedef '" + type.name() + "' leads back to itself; name another type");
            }
            Meaning ofTypedef = meaning(found.file(), typedef.annotations(), typedef.line(), meaning);
            return type(found.file(), typedef.type(), ofTypedef, chain + 1);
        }
        if (found.definition() instanceof SenumOf) {
            return meaning == null ? Scalar.STRING : annotated(Scalar.STRING, type.name(), meaning);
        }
        refuse(meaning, type.name());
        if (found.definition() instanceof EnumOf symbols) {
            return symbols(symbols);
        }
        if (found.definition() instanceof StructOf) {
            return new ThriftType.StructRef(enqueue(found));
        }
        throw file.error(type.line(), "'" + type.name() + "' is a const, not a type; name a type");
    }

    private static ThriftType symbols(EnumOf definition) {
        Map<Integer, ThriftType.Symbol> byNumber = new TreeMap<>();
        definition.symbols().forEach(symbol -> byNumber.putIfAbsent(symbol.number(), symbol));
        return new ThriftType.Symbols(
                List.copyOf(byNumber.values()),
                definition.symbols().stream().map(ThriftType.Symbol::name).toList());
    }

    private static Scalar annotated(Scalar base, String name, Meaning meaning) {
        Scalar type = MEANINGS.get(meaning.text());
        if (type == null) {
            throw meaning.file()
                    .error(
                            meaning.line(),
                            "'" + meaning.text() + "' is not a " + ThriftIdl.MEANING + "; write one of "
                                    + ThriftType.meanings());
        }
        if (type.base != base) {
            throw misplaced(meaning, name);
        }
        return type;
    }

    private static void refuse(@Nullable Meaning meaning, String name) {
        if (meaning != null) {
            throw misplaced(meaning, name);
        }
    }

    private static SchemaException misplaced(Meaning meaning, String name) {
        Scalar type = MEANINGS.get(meaning.text());
        String base = type == null || type.base == null
                ? "i64"
                : BASE_TYPES.entrySet().stream()
                        .filter(entry -> entry.getValue() == type.base)
                        .map(Map.Entry::getKey)
                        .findFirst()
                        .orElse("i64");
        return meaning.file()
                .error(
                        meaning.line(),
                        "%s \"%s\" does not fit %s; remove it, or make the type %s"
                                .formatted(ThriftIdl.MEANING, meaning.text(), name, base));
    }
}
