package io.thalweg.records.thrift;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.thrift.ThriftStruct.ThriftField;
import io.thalweg.records.write.ThriftLayout;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The parts of a schema that writers need, by the path of a field. */
final class ThriftSchemaLayout implements ThriftLayout {
    private static final String KEY = "[key]";

    private final Map<String, ThriftStruct> structs;
    private final Map<String, Integer> ids = new HashMap<>();
    private final Map<String, ThriftType> types = new HashMap<>();
    private final Set<String> sets = new HashSet<>();
    private final Set<String> unions = new HashSet<>();

    ThriftSchemaLayout(Map<String, ThriftStruct> structs, String root, Struct struct) {
        this.structs = structs;
        fields("", get(root), struct);
    }

    private ThriftStruct get(String key) {
        return Objects.requireNonNull(structs.get(key), key);
    }

    private void fields(String prefix, ThriftStruct thrift, Struct struct) {
        for (int i = 0; i < thrift.fields().size(); i++) {
            ThriftField field = thrift.fields().get(i);
            Field neutral = struct.fields().get(i);
            ids.put(prefix + field.name(), field.id());
            type(prefix + field.name(), field.type(), neutral.type());
        }
    }

    private void type(String path, ThriftType thrift, FieldType neutral) {
        types.put(path, thrift);
        if (thrift instanceof ThriftType.StructRef ref && neutral instanceof Struct struct) {
            ThriftStruct referenced = get(ref.key());
            if (referenced.union()) {
                unions.add(path);
            }
            fields(path + ".", referenced, struct);
        } else if (thrift instanceof ThriftType.ListOf list && neutral instanceof ListOf of) {
            element(path, list.element(), of.element());
        } else if (thrift instanceof ThriftType.SetOf set && neutral instanceof ListOf of) {
            sets.add(path);
            element(path, set.element(), of.element());
        } else if (thrift instanceof ThriftType.MapOf map && neutral instanceof MapOf of) {
            types.put(path + KEY, map.key());
            element(path, map.value(), of.value());
        } else if (thrift instanceof ThriftType.MapOf) {
            throw new SchemaException(
                    "'" + path
                            + "' is a map whose keys are not scalars; such messages can be read, but not written in this version");
        }
    }

    /** Adds an element under the path of its list. A list of lists is described by its innermost element. */
    private void element(String path, ThriftType thrift, FieldType neutral) {
        type(path, thrift, neutral);
    }

    /** The paths of structs of which exactly one field has a value. */
    Set<String> unions() {
        return unions;
    }

    @Override
    public int id(String path, int index) {
        return Objects.requireNonNull(ids.get(path), path);
    }

    @Override
    public int number(String path, String name, int index) {
        if (types.get(path) instanceof ThriftType.Symbols symbols) {
            for (ThriftType.Symbol symbol : symbols.symbols()) {
                if (symbol.name().equals(name)) {
                    return symbol.number();
                }
            }
        }
        return index;
    }

    @Override
    public long unit(String path) {
        return types.get(path) instanceof ThriftType.Scalar scalar ? scalar.micros() : 1;
    }

    @Override
    public boolean uuidIsBinary(String path) {
        return types.get(path) == ThriftType.Scalar.UUID_IN_BINARY;
    }

    @Override
    public boolean isSet(String path) {
        return sets.contains(path);
    }
}
