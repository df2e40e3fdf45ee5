package io.thalweg.records.avro;

import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.translate.FieldPlan;
import io.thalweg.records.translate.StructPlan;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.jspecify.annotations.Nullable;

/**
 * Compiles the resolution of a writer's schema against a table's, and the plan of the table's fields, into steps.
 *
 * <p>A written record contains all fields in a known order, so no reader tracks which fields it saw. The fields that the writer
 * lacks are known at compile time, and their defaults are steps.
 */
final class Compiler {
    private final Skips skips;

    Compiler(Skips skips) {
        this.skips = skips;
    }

    /** Compiles the steps of the root. */
    static Step.Fields compile(AvroSchema writer, AvroSchema table, StructPlan plan, Skips skips) {
        return new Compiler(skips).record(renamed(writer, table), table.schema(), FieldPlan.NONE, "", plan);
    }

    private static Schema renamed(AvroSchema writer, AvroSchema table) {
        if (writer.equals(table)) {
            return table.schema();
        }
        try {
            return Schema.applyAliases(writer.schema(), table.schema());
        } catch (AvroRuntimeException e) {
            throw new SchemaException(
                    "the aliases of the table's Avro schema do not fit the writer's: " + e.getMessage(), e);
        }
    }

    private Step.Fields record(Schema written, Schema table, int slot, String path, StructPlan plan) {
        List<Step> steps = new ArrayList<>();
        for (Schema.Field field : written.getFields()) {
            Schema.Field target = table.getField(field.name());
            FieldPlan use = target == null ? null : plan.field(target.pos());
            if (target == null || use == null) {
                skips.add(steps, field.schema());
            } else {
                addValue(steps, field.schema(), target.schema(), use);
            }
        }
        for (Schema.Field field : table.getFields()) {
            FieldPlan use = plan.field(field.pos());
            if (use != null && written.getField(field.name()) == null) {
                addDefault(steps, field, use);
            }
        }
        return new Step.Fields(slot, path, steps.toArray(Step[]::new));
    }

    private void addValue(List<Step> steps, Schema written, Schema table, FieldPlan use) {
        if (use.isRead() || Shape.of(written).nullable()) {
            steps.addAll(List.of(value(written, table, use)));
        } else {
            skips.add(steps, written);
        }
    }

    private void addDefault(List<Step> steps, Schema.Field field, FieldPlan use) {
        if (!field.hasDefaultValue()) {
            throw new SchemaException(
                    "'" + use.path
                            + "' is missing from the writer's Avro schema and has no default in the table's; give it a default");
        }
        if (use.isRead()) {
            steps.add(new Step.Default(use.path, written(field, use), value(field.schema(), field.schema(), use)));
        }
    }

    private static byte[] written(Schema.Field field, FieldPlan use) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(out, null);
            Object value = GenericData.get().getDefaultValue(field);
            new GenericDatumWriter<>(field.schema()).write(value, encoder);
        } catch (IOException | AvroRuntimeException e) {
            throw new SchemaException("'" + use.path + "' has a default that does not fit its type", e);
        }
        return out.toByteArray();
    }

    /** Compiles a value of any type, for all uses of a field. */
    private Step[] value(Schema written, Schema table, FieldPlan use) {
        if (written.getType() != Schema.Type.UNION) {
            return known(written, table, use);
        }
        Step[][] branches = new Step[written.getTypes().size()][];
        SchemaException problem = null;
        boolean isReadable = false;
        for (int i = 0; i < branches.length; i++) {
            Schema branch = written.getTypes().get(i);
            try {
                branches[i] =
                        branch.getType() == Schema.Type.NULL ? one(new Step.Null(use)) : known(branch, table, use);
                isReadable |= branch.getType() != Schema.Type.NULL;
            } catch (SchemaException e) {
                problem = e;
                branches[i] = one(new Step.Refused(use.path, describe(table), describe(branch)));
            }
        }
        if (problem != null && !isReadable) {
            throw problem;
        }
        return one(new Step.Union(use.path, branches));
    }

    private static Step[] one(Step step) {
        return new Step[] {step};
    }

    /** Compiles a value that is not of a union, for all uses of a field. */
    private Step[] known(Schema written, Schema table, FieldPlan use) {
        Shape shape = Shape.of(table);
        if (written.getType() == Schema.Type.NULL) {
            if (!shape.nullable()) {
                throw incompatible(written, table, use);
            }
            return one(new Step.Null(use));
        }
        if (!use.isRead()) {
            return skips.steps(written);
        }
        int branch = shape.branchFor(written);
        if (branch < 0) {
            throw incompatible(written, table, use);
        }
        List<Step[]> uses = new ArrayList<>();
        for (FieldPlan next = use; next != null; next = next.also) {
            uses.add(one(
                    shape.isStruct()
                            ? branch(written, shape, branch, next)
                            : plain(written, shape.types().get(branch), next)));
        }
        return uses.size() == 1 ? uses.get(0) : one(new Step.Again(use.path, uses.toArray(Step[][]::new)));
    }

    private Step branch(Schema written, Shape shape, int branch, FieldPlan use) {
        StructPlan struct = Objects.requireNonNull(use.struct);
        FieldPlan field = struct.field(branch);
        Step[] value = field == null
                ? skips.steps(written)
                : known(written, shape.types().get(branch), field);
        return new Step.Branch(use, struct, branch, value);
    }

    /** Compiles a value for one use; the types are neither unions nor null, and are compatible. */
    private Step plain(Schema written, Schema table, FieldPlan use) {
        return switch (table.getType()) {
            case RECORD -> record(written, table, use.slot, use.path, Objects.requireNonNull(use.struct));
            case ARRAY -> {
                Schema element = written.getElementType();
                FieldPlan plan = Objects.requireNonNull(use.element);
                yield new Step.Elements(use, value(element, table.getElementType(), plan), skips.smallest(element));
            }
            case MAP -> {
                Schema value = written.getValueType();
                FieldPlan plan = Objects.requireNonNull(use.element);
                Step key = Step.scalar(Step.TEXT, Objects.requireNonNull(use.key));
                yield new Step.Entries(use, key, value(value, table.getValueType(), plan), skips.smallestEntry(value));
            }
            case BOOLEAN -> Step.scalar(Step.BOOL, use);
            case INT, LONG -> integer(written, table, use);
            case FLOAT -> Step.scalar(asFloat(written), use);
            case DOUBLE -> Step.scalar(asDouble(written), use);
            case STRING -> Step.scalar(use.type instanceof FieldType.Uuid ? Step.UUID_TEXT : Step.TEXT, use);
            case BYTES, FIXED -> bytes(written, table, use);
            case ENUM -> symbol(written, table, use);
            default -> throw incompatible(written, table, use);
        };
    }

    private static int asFloat(Schema written) {
        return switch (written.getType()) {
            case INT -> Step.INT_AS_FLOAT;
            case LONG -> Step.LONG_AS_FLOAT;
            default -> Step.REAL32;
        };
    }

    private static int asDouble(Schema written) {
        return switch (written.getType()) {
            case INT -> Step.INT_AS_DOUBLE;
            case LONG -> Step.LONG_AS_DOUBLE;
            case FLOAT -> Step.REAL32;
            default -> Step.REAL64;
        };
    }

    private static Step integer(Schema written, Schema table, FieldPlan use) {
        boolean isInt = written.getType() == Schema.Type.INT;
        int factor = factor(written, table);
        if (factor == 1 && !(use.type instanceof FieldType.Time)) {
            return Step.scalar(isInt ? Step.INT : Step.LONG, use);
        }
        return new Step.Scaled(isInt ? Step.INT_SCALED : Step.LONG_SCALED, use, factor);
    }

    /** Returns the factor from the writer's unit, if it states one, to the microseconds of the table's column. */
    private static int factor(Schema written, Schema table) {
        int column = factor(table.getLogicalType());
        int message = factor(written.getLogicalType());
        return column == 0 ? 1 : message == 0 ? column : message;
    }

    /** Returns the factor from a unit to microseconds, as {@link Step.Scaled#factor}; 0 if the type has no unit. */
    private static int factor(@Nullable LogicalType type) {
        String name = type == null ? "" : type.getName();
        return name.endsWith("-millis") ? 1000 : name.endsWith("-nanos") ? -1000 : name.endsWith("-micros") ? 1 : 0;
    }

    private static Step bytes(Schema written, Schema table, FieldPlan use) {
        boolean isFixed = written.getType() == Schema.Type.FIXED;
        if (use.type instanceof FieldType.Decimal decimal) {
            if (written.getLogicalType() instanceof LogicalTypes.Decimal other && other.getScale() != decimal.scale()) {
                throw new SchemaException("'" + use.path + "' is written with a scale of " + other.getScale()
                        + ", but the table's Avro schema has a scale of " + decimal.scale() + "; use the same scale");
            }
            return new Step.Decimal(use, isFixed ? written.getFixedSize() : Step.Decimal.PREFIXED, decimal.precision());
        }
        return isFixed ? new Step.Fixed(use, table.getFixedSize()) : Step.scalar(Step.BYTES, use);
    }

    private static Step symbol(Schema written, Schema table, FieldPlan use) {
        List<String> symbols = written.getEnumSymbols();
        Set<String> known = Set.copyOf(table.getEnumSymbols());
        byte[] @Nullable [] names = new byte[symbols.size()][];
        for (int i = 0; i < names.length; i++) {
            String name = known.contains(symbols.get(i)) ? symbols.get(i) : table.getEnumDefault();
            names[i] = name == null ? null : name.getBytes(StandardCharsets.UTF_8);
        }
        return new Step.Symbol(use, names);
    }

    private static SchemaException incompatible(Schema written, Schema table, FieldPlan use) {
        return new SchemaException("'" + use.path + "' is written as " + describe(written)
                + ", which cannot be read as " + describe(table) + " of the table's Avro schema");
    }

    private static String describe(Schema schema) {
        return switch (schema.getType()) {
            case UNION ->
                schema.getTypes().stream().map(Compiler::describe).toList().toString();
            case RECORD, ENUM -> schema.getType().getName() + " " + schema.getFullName();
            case FIXED -> "fixed(" + schema.getFixedSize() + ") " + schema.getFullName();
            default -> schema.getType().getName();
        };
    }
}
