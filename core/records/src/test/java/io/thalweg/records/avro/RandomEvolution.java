package io.thalweg.records.avro;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.avro.JsonProperties;
import org.apache.avro.Schema;

/** Changes a schema as Avro's resolution allows: every message of the old schema can be read with the new one. */
final class RandomEvolution {
    private final Random random;
    private final Map<String, Schema> done = new HashMap<>();
    private int names;

    RandomEvolution(Random random) {
        this.random = random;
    }

    Schema of(Schema schema) {
        return switch (schema.getType()) {
            case RECORD -> record(schema);
            case ENUM -> symbols(schema);
            case UNION -> union(schema);
            case ARRAY -> Schema.createArray(type(schema.getElementType()));
            case MAP -> Schema.createMap(type(schema.getValueType()));
            case INT, LONG, FLOAT -> schema.getLogicalType() == null ? promoted(schema.getType()) : schema;
            case STRING ->
                schema.getLogicalType() == null && random.nextInt(4) == 0 ? Schema.create(Schema.Type.BYTES) : schema;
            default -> schema;
        };
    }

    /** Changes a type, and randomly makes it part of a union. */
    private Schema type(Schema schema) {
        Schema changed = of(schema);
        if (changed.getType() == Schema.Type.UNION || random.nextInt(5) != 0) {
            return changed;
        }
        Map<String, Schema> branches = new HashMap<>();
        for (Schema.Type other :
                List.of(Schema.Type.NULL, Schema.Type.BOOLEAN, Schema.Type.DOUBLE, Schema.Type.BYTES)) {
            if (random.nextBoolean()) {
                branches.put(other.getName(), Schema.create(other));
            }
        }
        branches.put(changed.getFullName(), changed);
        return Schema.createUnion(shuffled(branches.values()));
    }

    private <T> List<T> shuffled(Iterable<T> items) {
        List<T> list = new ArrayList<>();
        items.forEach(list::add);
        Collections.shuffle(list, random);
        return list;
    }

    private Schema promoted(Schema.Type type) {
        List<Schema.Type> wider = List.of(Schema.Type.INT, Schema.Type.LONG, Schema.Type.FLOAT, Schema.Type.DOUBLE);
        int from = wider.indexOf(type);
        return Schema.create(wider.get(from + random.nextInt(wider.size() - from)));
    }

    private Schema symbols(Schema schema) {
        List<String> symbols = new ArrayList<>(schema.getEnumSymbols());
        symbols.add("NEW");
        if (random.nextBoolean()) {
            symbols.remove(0);
        }
        return Schema.createEnum(schema.getName(), null, schema.getNamespace(), shuffled(symbols), "NEW");
    }

    /** Branches keep their types, because another branch might suit a wider one as well. */
    private Schema union(Schema schema) {
        List<Schema> branches = new ArrayList<>();
        for (Schema branch : schema.getTypes()) {
            boolean keepsType = switch (branch.getType()) {
                case RECORD, ENUM, ARRAY, MAP -> true;
                default -> false;
            };
            branches.add(keepsType ? of(branch) : branch);
        }
        if (branches.stream().noneMatch(branch -> branch.getType() == Schema.Type.NULL) && random.nextBoolean()) {
            branches.add(Schema.create(Schema.Type.NULL));
        }
        if (random.nextInt(3) == 0) {
            branches.add(Schema.createFixed("Added" + names++, null, "test", 3));
        }
        return Schema.createUnion(shuffled(branches));
    }

    private Schema record(Schema schema) {
        Schema known = done.get(schema.getFullName());
        if (known != null) {
            return known;
        }
        boolean isRenamed = random.nextInt(4) == 0;
        String name = isRenamed ? "Renamed" + names++ : schema.getName();
        Schema changed = Schema.createRecord(name, null, schema.getNamespace(), false);
        if (isRenamed) {
            changed.addAlias(schema.getFullName());
        }
        done.put(schema.getFullName(), changed);
        List<Schema.Field> fields = new ArrayList<>();
        for (Schema.Field field : schema.getFields()) {
            if (random.nextInt(5) != 0) {
                fields.add(field(field));
            }
        }
        while (random.nextInt(3) == 0) {
            fields.add(added());
        }
        changed.setFields(shuffled(fields));
        return changed;
    }

    private Schema.Field field(Schema.Field field) {
        boolean isRenamed = random.nextInt(5) == 0;
        String name = isRenamed ? "renamed_" + field.name() : field.name();
        Schema.Field changed = new Schema.Field(name, type(field.schema()), null, (Object) null);
        if (isRenamed) {
            changed.addAlias(field.name());
        }
        return changed;
    }

    private Schema.Field added() {
        String name = "added" + names++;
        Schema text = Schema.create(Schema.Type.STRING);
        Schema number = Schema.create(Schema.Type.LONG);
        Schema none = Schema.create(Schema.Type.NULL);
        return switch (random.nextInt(9)) {
            case 0 -> new Schema.Field(name, text, null, "default \u20ac");
            case 1 -> new Schema.Field(name, number, null, -5L);
            case 2 -> new Schema.Field(name, Schema.create(Schema.Type.DOUBLE), null, 1.5);
            case 3 -> new Schema.Field(name, Schema.createUnion(none, text), null, JsonProperties.NULL_VALUE);
            case 4 -> new Schema.Field(name, Schema.createUnion(number, text, none), null, 77L);
            case 5 ->
                new Schema.Field(
                        name, Schema.createArray(text), null, random.nextBoolean() ? List.of() : List.of("a", "b"));
            case 6 ->
                new Schema.Field(
                        name, Schema.createMap(number), null, random.nextBoolean() ? Map.of() : Map.of("k", 1L));
            case 7 -> new Schema.Field(name, Schema.create(Schema.Type.BOOLEAN), null, true);
            default -> {
                Schema inner = Schema.createRecord("Inner" + names++, null, "test", false);
                inner.setFields(List.of(
                        new Schema.Field("x", text, null, "x"), new Schema.Field("y", number, null, (Object) null)));
                yield new Schema.Field(name, inner, null, Map.of("y", 3L));
            }
        };
    }
}
