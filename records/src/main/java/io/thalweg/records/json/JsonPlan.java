package io.thalweg.records.json;

import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.Int;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.FieldPlan;
import io.thalweg.records.translate.StructPlan;
import org.jspecify.annotations.Nullable;

/**
 * A {@link FieldPlan} with what the reader of JSON needs beside it.
 *
 * <p><b>Threads.</b> One.
 */
final class JsonPlan {
    final FieldPlan field;
    final Spelling spelling;

    /** Of a struct. */
    final @Nullable Members members;

    /** Of a list: its element; of a map: its value. */
    final @Nullable JsonPlan element;

    /** Of a map: the slot of its keys. */
    final int keySlot;

    /** Of a map: the keys of the one that is being read. */
    final @Nullable JsonKeys keys;

    /** Of a decimal. */
    final @Nullable Decimal decimal;

    /** Of an integer: how many bits a {@code long} has beyond its own. */
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
        this.keys = field.key == null ? null : new JsonKeys();
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

        /** The plan of a member; null if its value is skipped. */
        @Nullable
        JsonPlan plan(int index) {
            return plans[index];
        }
    }
}
