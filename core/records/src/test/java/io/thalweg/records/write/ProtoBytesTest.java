package io.thalweg.records.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ProtoBytesTest {
    private static final int RECORDS = 20;

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void randomRecords_areWhatTheLibraryReads(long seed) throws Exception {
        Random random = new Random(seed);
        Struct schema = RandomSchemas.flat(RandomSchemas.next(random, false));
        ProtoLayout layout = ProtoLayout.TEXTUAL;
        ProtoOracle oracle = new ProtoOracle(schema, ProtoDescriptors.of(schema, layout, "Row"));
        ProtoBytes writer = new ProtoBytes(schema, layout);
        RandomRecords records = new RandomRecords(random);
        for (int i = 0; i < RECORDS; i++) {
            List<@Nullable Object> record = records.struct(schema);
            byte[] message = message(schema, record, writer, null);

            assertThat(oracle.read(message, 0, message.length))
                    .as("%s", schema)
                    .isEqualTo(ProtoOracle.withoutEmpty(schema, record));
            assertThat(message(schema, record, writer, random)).isEqualTo(message);
        }
    }

    @Test
    void nestedLengths_thatGrowAndShrink_areCanonical() {
        Struct inner = new Struct(List.of(Field.required("text", FieldType.TEXT)));
        Struct schema = new Struct(List.of(Field.required("inner", inner)));
        ProtoBytes writer = new ProtoBytes(schema, ProtoLayout.DEFAULT);

        for (int size : new int[] {3, 300, 20_000, 5}) {
            List<@Nullable Object> record = List.of(List.of(ByteBuffer.wrap(new byte[size])));
            assertThat(message(schema, record, writer, null))
                    .isEqualTo(message(schema, record, new ProtoBytes(schema, ProtoLayout.DEFAULT), null));
        }
    }

    @Test
    void nullInList_isOutOfRange() {
        Struct schema = new Struct(List.of(Field.optional("tags", new ListOf(FieldType.TEXT, false))));
        ProtoBytes writer = new ProtoBytes(schema, ProtoLayout.DEFAULT);
        writer.begin();
        writer.beginList(0);

        assertThatThrownBy(() -> writer.absent(1))
                .isInstanceOf(BadRecordException.class)
                .hasMessageContaining("tags");
    }

    @Test
    void listOfLists_isRefusedByName() {
        Struct schema =
                new Struct(List.of(Field.optional("grid", new ListOf(new ListOf(FieldType.INT64, true), true))));

        assertThatThrownBy(() -> new ProtoBytes(schema, ProtoLayout.DEFAULT))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("'grid'");
        assertThatThrownBy(() -> ProtoDescriptors.of(schema, ProtoLayout.DEFAULT, "Row"))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("'grid'");
    }

    private static byte[] message(
            Struct schema, List<@Nullable Object> record, ByteRecordWriter writer, @Nullable Random shuffle) {
        writer.begin();
        Tree.play(schema, record, writer, shuffle);
        writer.end();
        return Arrays.copyOfRange(writer.data(), writer.from(), writer.to());
    }
}
