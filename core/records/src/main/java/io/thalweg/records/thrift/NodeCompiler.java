package io.thalweg.records.thrift;

import io.thalweg.records.thrift.Node.Parts;
import io.thalweg.records.thrift.ThriftStruct.ThriftField;
import io.thalweg.records.thrift.ThriftType.Scalar;
import io.thalweg.records.translate.FieldPlan;
import io.thalweg.records.translate.StructPlan;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Merges a Thrift schema with the plan of a translation. Fields that are not selected are not compiled. */
final class NodeCompiler {
    private static final int PART = -1;

    private final Map<String, ThriftStruct> structs;
    private final Protocol protocol;

    NodeCompiler(Map<String, ThriftStruct> structs, Protocol protocol) {
        this.structs = structs;
        this.protocol = protocol;
    }

    StructNode struct(String key, StructPlan plan) {
        ThriftStruct struct = Objects.requireNonNull(structs.get(key), key);
        Map<Integer, Node> fields = new HashMap<>();
        for (int i = 0; i < struct.fields().size(); i++) {
            ThriftField field = struct.fields().get(i);
            FieldPlan of = plan.field(i);
            fields.put(field.id(), of == null ? Node.ignored(i) : node(i, field.type(), of));
        }
        return new StructNode(struct.name(), plan, struct.union(), fields);
    }

    private Node node(int index, ThriftType type, FieldPlan plan) {
        Node also = plan.also == null ? null : node(index, type, plan.also);
        int wire = type.wire().code(protocol);
        if (!plan.isRead()) {
            return Node.of(Node.SKIP, index, wire, plan, Parts.NONE, also);
        }
        if (type instanceof Scalar scalar) {
            return scalar.micros() == 1
                    ? Node.of(op(scalar), index, wire, plan, Parts.NONE, also)
                    : Node.scaled(index, wire, plan, scalar.micros(), also);
        }
        if (type instanceof ThriftType.MapOf map) {
            return map(index, map, wire, plan, also);
        }
        int op = type instanceof ThriftType.Symbols
                ? Node.SYMBOL
                : !(type instanceof ThriftType.StructRef)
                        ? Node.LIST
                        : plan.slot == FieldPlan.NONE ? Node.PARTS : Node.STRUCT;
        return Node.of(op, index, wire, plan, parts(type, plan), also);
    }

    private static int op(Scalar type) {
        return switch (type) {
            case BOOL -> Node.BOOL;
            case I8 -> Node.I8;
            case I16 -> Node.I16;
            case I32, DATE -> Node.I32;
            case I64, TIMESTAMP_US, TIMESTAMP_MS, TIMESTAMP_S -> Node.I64;
            case DOUBLE -> Node.DOUBLE;
            case STRING -> Node.TEXT;
            case BINARY -> Node.BYTES;
            case UUID -> Node.UUID;
            case UUID_IN_BINARY -> Node.UUID_IN_BYTES;
        };
    }

    private Parts parts(ThriftType type, FieldPlan plan) {
        if (type instanceof ThriftType.Symbols symbols) {
            return Parts.of(new SymbolNames(symbols.symbols()));
        }
        if (type instanceof ThriftType.StructRef ref) {
            return Parts.of(struct(ref.key(), Objects.requireNonNull(plan.struct)));
        }
        ThriftType element =
                type instanceof ThriftType.ListOf list ? list.element() : ((ThriftType.SetOf) type).element();
        return Parts.of(node(PART, element, Objects.requireNonNull(plan.element)));
    }

    private Node map(int index, ThriftType.MapOf map, int wire, FieldPlan plan, @Nullable Node also) {
        FieldPlan element = Objects.requireNonNull(plan.element);
        if (map.hasScalarKey()) {
            Node key = node(PART, map.key(), Objects.requireNonNull(plan.key));
            return Node.of(Node.MAP, index, wire, plan, Parts.of(key, node(PART, map.value(), element)), also);
        }
        StructPlan entry = Objects.requireNonNull(element.struct);
        Node key = node(PART, map.key(), Objects.requireNonNull(entry.field(0)));
        Node value = node(PART, map.value(), Objects.requireNonNull(entry.field(1)));
        return Node.entries(index, wire, plan, element.slot, Parts.of(key, value), also);
    }
}
