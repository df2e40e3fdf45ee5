package io.thalweg.records.thrift;

import io.thalweg.records.schema.SchemaException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One IDL file as written; names are not resolved.
 *
 * @param file name for error messages, and the base of relative includes
 * @param definitions by name, in the order of the file
 */
record IdlFile(String file, List<Include> includes, Map<String, Definition> definitions) {
    record Include(String path, int line) {
        /** The name with which the including file refers to the included one. */
        String prefix() {
            String name = path.substring(path.lastIndexOf('/') + 1);
            return name.endsWith(".thrift") ? name.substring(0, name.length() - ".thrift".length()) : name;
        }
    }

    sealed interface Definition {
        String name();

        int line();
    }

    record TypedefOf(String name, TypeName type, Map<String, String> annotations, int line) implements Definition {}

    record ConstOf(String name, TypeName type, Value value, int line) implements Definition {}

    /** An enum; its symbols have distinct names. */
    record EnumOf(String name, List<ThriftType.Symbol> symbols, int line) implements Definition {}

    /** An enum of texts, deprecated in Thrift; its values are strings. */
    record SenumOf(String name, int line) implements Definition {}

    enum Kind {
        STRUCT,
        UNION,
        EXCEPTION
    }

    /** A struct; its fields have distinct names, and ids that are distinct unless they are 0. */
    record StructOf(String name, Kind kind, List<FieldOf> fields, int line) implements Definition {}

    record FieldOf(
            int id,
            String name,
            boolean required,
            TypeName type,
            @Nullable Value absent,
            Map<String, String> annotations,
            int line) {}

    /** A type by its name; {@code parameters} are those of {@code list}, {@code set} and {@code map}. */
    record TypeName(String name, List<TypeName> parameters, Map<String, String> annotations, int line) {}

    /** A constant. */
    sealed interface Value {}

    record IntegerValue(long value) implements Value {}

    record RealValue(double value) implements Value {}

    record TextValue(String value) implements Value {}

    /** The name of a constant or of an enum's symbol, {@code true} or {@code false}. */
    record NamedValue(String name) implements Value {}

    /** A list, map or struct in brackets. Its parts are dropped, because no reader uses them. */
    record ContainerValue(boolean empty) implements Value {}

    SchemaException error(int line, String message) {
        return new SchemaException(file + ":" + line + ": " + message);
    }
}
