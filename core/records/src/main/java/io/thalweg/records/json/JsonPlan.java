package io.thalweg.records.json;

import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.FieldPlan;
import io.thalweg.records.translate.StructPlan;
import org.jspecify.annotations.Nullable;

/**
 * A {@link FieldPlan} with the additional state of the JSON reader.
 *
 * <p><b>Threads.</b> One.
 */
final class JsonPlan {
    final FieldPlan field;
    final Spelling spelling;

    /** For a struct: its members. */
    final @Nullable Members members;

    /** For a list: its element; for a map: its value. */
    final @Nullable JsonPlan element;

    /** For a map: the slot of its keys. */
    final int keySlot;

    /** For a decimal: its type. */
    final @Nullable Decimal decimal;

    /** For an integer: the number of bits of a {@code long} that it does not use. */
    final int unusedBits;

    /** The next use of the same value. */
    final @Nullable JsonPlan also;

    private JsonPlan(FieldPlan field, JsonType type) {
        this.field = field;
        this.spelling = field.isRead() ? type.spelling() : Spelling.SKIPPED;
        this.members = field.struct == null ? null : new Members(field.struct, type);
        this.element = field.element == null
                ? null
                : new JsonPlan(field.element, type.parts().get(0));
        this.keySlot = field.key == null ? FieldPlan.NONE : field.key.slot;
        this.decimal = type.type() instanceof Decimal found ? found : null;
        this.unusedBits = type.type() instanceof Int integer ? 64 - integer.bits() : 0;
        this.also = field.also == null ? null : new JsonPlan(field.also, type);
    }

    /** The members of a struct. */
    static final class Members {
        final StructPlan plan;
        final JsonNames names;

        private final @Nullable JsonPlan[] plans;

        Members(StructPlan plan, JsonType type) {
            Struct struct = (Struct) type.type();
            this.plan = plan;
            this.names = new JsonNames(struct.names());
            this.plans = new JsonPlan[struct.fields().size()];
            for (int i = 0; i < plans.length; i++) {
                FieldPlan field = plan.field(i);
                plans[i] =
                        field == null ? null : new JsonPlan(field, type.parts().get(i));
            }
        }

        /** Returns the plan of a member; null if its value is skipped. */
        @Nullable
        JsonPlan plan(int index) {
            return plans[index];
        }
    }
}
