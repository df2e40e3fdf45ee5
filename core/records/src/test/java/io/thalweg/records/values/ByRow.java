package io.thalweg.records.values;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.RecordReader;
import io.thalweg.records.RecordWriter;
import io.thalweg.records.columns.ColumnBatch;
import io.thalweg.records.columns.ColumnWriter;
import io.thalweg.records.columns.LeafColumn;
import io.thalweg.records.row.Row;
import io.thalweg.records.row.RowShape;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.AvroBytes;
import io.thalweg.records.write.ByteRecordWriter;
import io.thalweg.records.write.JsonBytes;
import io.thalweg.records.write.ThriftBytes;
import io.thalweg.records.write.ThriftOracle;
import io.thalweg.records.write.Tree;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Sends messages to writers directly and through a row: both must produce the same bytes and columns. */
public final class ByRow {
    private static final List<Function<Struct, ByteRecordWriter>> FORMATS = List.of(
            AvroBytes::new,
            JsonBytes::new,
            schema -> ThriftBytes.binary(schema, ThriftOracle.LAYOUT),
            schema -> ThriftBytes.compact(schema, ThriftOracle.LAYOUT));

    private final Struct schema;
    private final RowWriter rows;
    private final RowFieldReader values;
    private final ColumnWriter columns;
    private final List<ByteRecordWriter> bytes = new ArrayList<>();

    public ByRow(Struct schema) {
        this.schema = schema;
        rows = new RowWriter(schema, RowShape.of(schema));
        values = new RowFieldReader(schema);
        columns = new ColumnWriter(schema);
        for (Function<Struct, ByteRecordWriter> format : FORMATS) {
            try {
                bytes.add(format.apply(schema));
            } catch (SchemaException e) {
                // Some formats cannot express every schema.
            }
        }
    }

    /** Compares the results of a good message. */
    public void check(RecordReader reader, byte[] data, int from, int to) {
        check(writer -> reader.read(data, from, to, writer));
    }

    /** Compares the results of a good message. */
    public void check(Consumer<RecordWriter> message) {
        Tree tree = new Tree(schema);
        message.accept(tree);
        if (hasKeyTwice(schema, tree.record())) {
            return; // a row keeps one of them
        }
        rows.begin();
        message.accept(rows);
        Row row = rows.row();
        for (ByteRecordWriter each : bytes) {
            assertThat(encoded(each, writer -> values.read(row, writer)))
                    .as("%s", row)
                    .isEqualTo(encoded(each, message));
        }
        assertThat(columns(writer -> values.read(row, writer))).as("%s", row).isEqualTo(columns(message));
        assertThat(row.copy()).isEqualTo(row);
    }

    private static boolean hasKeyTwice(FieldType type, @Nullable Object value) {
        if (!(value instanceof List<?> parts)) {
            return false;
        }
        if (type instanceof Struct struct) {
            return IntStream.range(0, parts.size())
                    .anyMatch(i -> hasKeyTwice(struct.fields().get(i).type(), parts.get(i)));
        }
        if (type instanceof ListOf list) {
            return parts.stream().anyMatch(element -> hasKeyTwice(list.element(), element));
        }
        MapOf map = (MapOf) type;
        Set<@Nullable Object> keys = new HashSet<>();
        return parts.stream()
                .map(List.class::cast)
                .anyMatch(entry -> !keys.add(entry.get(0)) || hasKeyTwice(map.value(), entry.get(1)));
    }

    /** Returns the message, or its fault. */
    private static Object encoded(ByteRecordWriter writer, Consumer<RecordWriter> message) {
        writer.begin();
        try {
            message.accept(writer);
        } catch (BadRecordException e) {
            return e.fault();
        }
        writer.end();
        return ByteBuffer.wrap(Arrays.copyOfRange(writer.data(), writer.from(), writer.to()));
    }

    private List<Object> columns(Consumer<RecordWriter> message) {
        columns.begin();
        message.accept(columns);
        columns.end();
        ColumnBatch batch = columns.take();
        List<Object> all = new ArrayList<>();
        for (LeafColumn leaf : batch.leaves()) {
            List<@Nullable Object> entries = new ArrayList<>();
            for (int i = 0; i < leaf.entries(); i++) {
                entries.add(List.of(leaf.repetition(i), leaf.definition(i)));
            }
            for (int i = 0; i < leaf.values(); i++) {
                entries.add(
                        leaf.isFixed()
                                ? (Object) leaf.longAt(i)
                                : ByteBuffer.wrap(Arrays.copyOfRange(leaf.data(), leaf.from(i), leaf.to(i))));
            }
            all.add(List.of(leaf.path(), entries));
        }
        return all;
    }
}
