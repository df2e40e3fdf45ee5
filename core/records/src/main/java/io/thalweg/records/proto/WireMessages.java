package io.thalweg.records.proto;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import io.thalweg.records.translate.FieldPlan;
import io.thalweg.records.translate.StructPlan;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Compiles message types along the plans of a translation, whose fields are in the order of the descriptor. */
final class WireMessages {
    private WireMessages() {}

    static WireMessage of(Descriptor type, StructPlan plan) {
        List<WireField> fields = new ArrayList<>();
        for (FieldDescriptor field : type.getFields()) {
            FieldPlan use = plan.field(field.getIndex());
            OneofDescriptor oneof = field.getRealContainingOneof();
            fields.add(new WireField(
                    field.getNumber(),
                    field.getIndex(),
                    Kind.of(field),
                    field.isRepeated(),
                    oneof == null ? -1 : oneof.getIndex(),
                    use != null,
                    target(field, use)));
        }
        return new WireMessage(fields, plan);
    }

    /** Returns the uses of a field that read its value. */
    private static @Nullable WireTarget target(FieldDescriptor field, @Nullable FieldPlan plan) {
        if (plan == null) {
            return null;
        }
        WireTarget also = target(field, plan.also);
        if (!plan.isRead()) {
            return also;
        }
        if (field.isMapField()) {
            return WireTarget.map(plan, entry(field.getMessageType(), plan), also);
        }
        return field.isRepeated()
                ? WireTarget.list(plan, value(field, part(plan.element, plan), null), also)
                : value(field, plan, also);
    }

    private static WireMessage entry(Descriptor type, FieldPlan map) {
        FieldDescriptor key = type.findFieldByNumber(1);
        FieldDescriptor value = type.findFieldByNumber(2);
        return new WireMessage(
                List.of(
                        WireField.part(1, Kind.of(key), value(key, part(map.key, map), null)),
                        WireField.part(2, Kind.of(value), value(value, part(map.element, map), null))),
                null);
    }

    private static WireTarget value(FieldDescriptor field, FieldPlan plan, @Nullable WireTarget also) {
        Kind kind = Kind.of(field);
        return switch (kind) {
            case ENUM ->
                WireTarget.symbol(
                        plan,
                        new EnumNames(field.getEnumType()),
                        field.getEnumType().getValues().get(0).getNumber(),
                        also);
            case STRUCT -> WireTarget.message(kind, plan, of(field.getMessageType(), part(plan.struct, plan)), also);
            case TIMESTAMP, DURATION -> WireTarget.message(kind, plan, secondsAndNanos(), also);
            case WRAPPER -> WireTarget.message(kind, plan, wrapper(field.getMessageType(), plan), also);
            default -> WireTarget.scalar(kind, plan, also);
        };
    }

    private static WireMessage secondsAndNanos() {
        return new WireMessage(List.of(WireField.part(1, Kind.INT64, null), WireField.part(2, Kind.INT32, null)), null);
    }

    private static WireMessage wrapper(Descriptor type, FieldPlan plan) {
        Kind kind = part(Kind.wrapped(type), plan);
        return new WireMessage(List.of(WireField.part(1, kind, WireTarget.scalar(kind, plan, null))), null);
    }

    private static <T> T part(@Nullable T part, FieldPlan plan) {
        if (part == null) {
            throw new IllegalArgumentException(
                    "the plan of '" + plan.path + "' is of another schema; compile the translation with this schema");
        }
        return part;
    }
}
