package io.thalweg.records.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class ThriftBytesTest {
    private static final Struct SCHEMA = new Struct(List.of(
            Field.required("on", FieldType.BOOL),
            Field.optional("name", FieldType.TEXT),
            Field.optional("status", new FieldType.Symbols(List.of("OPEN", "CLOSED"))),
            Field.optional("at", FieldType.TIMESTAMP),
            Field.optional("key", FieldType.UUID)));

    /** A layout as in an IDL: other ids and numbers, milliseconds. */
    private static final ThriftLayout LAYOUT = new ThriftLayout() {
        @Override
        public int id(String path, int index) {
            return new int[] {1, 3, 20, 21, 300}[index];
        }

        @Override
        public int number(String path, String name, int index) {
            return name.equals("OPEN") ? 7 : 9;
        }

        @Override
        public long unit(String path) {
            return 1_000;
        }
    };

    private static String written(ThriftBytes writer) {
        writer.begin();
        writer.bytes(4, HexFormat.of().parseHex("00112233445566778899aabbccddeeff"), 0, 16);
        writer.int64(3, 1_999);
        text(writer, 2, "CLOSED");
        text(writer, 1, "é");
        writer.bool(0, true);
        writer.end();
        return hex(writer);
    }

    private static void text(ByteRecordWriter writer, int slot, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        writer.bytes(slot, bytes, 0, bytes.length);
    }

    private static String hex(ByteRecordWriter writer) {
        return HexFormat.of().formatHex(writer.data(), writer.from(), writer.to());
    }

    @Test
    void binary_fieldsInAnyOrder_areTheseBytes() {
        assertThat(written(ThriftBytes.binary(SCHEMA, LAYOUT)))
                .isEqualTo("02000101" + "0b000300000002c3a9" + "08001400000009" + "0a00150000000000000001"
                        + "10012c00112233445566778899aabbccddeeff" + "00");
    }

    @Test
    void compact_fieldsInAnyOrder_areTheseBytes() {
        // Ids 20 and 300 are too far from the previous ids for a delta.
        assertThat(written(ThriftBytes.compact(SCHEMA, LAYOUT)))
                .isEqualTo(
                        "11" + "2802c3a9" + "052812" + "1602" + "0dd804" + "00112233445566778899aabbccddeeff" + "00");
    }

    @Test
    void bytes_nameThatIsNotListed_isItsNumber() {
        ThriftBytes writer = ThriftBytes.binary(SCHEMA, LAYOUT);
        writer.begin();
        text(writer, 2, "42");
        writer.end();
        assertThat(hex(writer)).isEqualTo("0800140000002a00");
        assertThatThrownBy(() -> text(writer, 2, "AJAR"))
                .isInstanceOf(BadRecordException.class)
                .hasMessageContaining("'status' must be a name of the enum or a number");
    }

    @Test
    void absent_requiredField_isRefused() {
        ThriftBytes writer = ThriftBytes.binary(SCHEMA, LAYOUT);
        writer.begin();
        assertThatThrownBy(() -> writer.absent(0)).hasMessageContaining("'on' must be there");
    }

    @Test
    void binary_elementsMayBeNull_isRefused() {
        Struct schema = new Struct(List.of(Field.required("tags", new FieldType.ListOf(FieldType.TEXT, false))));
        assertThatThrownBy(() -> ThriftBytes.binary(schema, ThriftLayout.DEFAULT))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("'tags' may contain nulls");
    }

    @Test
    void binary_idsThatAreTakenOrOutOfRange_areRefused() {
        for (int id : new int[] {0, 32_768, 7}) {
            ThriftLayout sameId = new ThriftLayout() {
                @Override
                public int id(String path, int index) {
                    return id;
                }
            };
            assertThatThrownBy(() -> ThriftBytes.binary(SCHEMA, sameId))
                    .isInstanceOf(SchemaException.class)
                    .hasMessageContaining("the id of '" + (id == 7 ? "name" : "on") + "' must be 1 to 32767");
        }
    }

    @Test
    void compact_setOfBooleans_hasItsTypes() {
        Struct schema = new Struct(List.of(Field.required("flags", new FieldType.ListOf(FieldType.BOOL, true))));
        ThriftLayout sets = new ThriftLayout() {
            @Override
            public boolean isSet(String path) {
                return true;
            }
        };
        ThriftBytes writer = ThriftBytes.compact(schema, sets);
        writer.begin();
        writer.beginList(0);
        writer.bool(1, true);
        writer.bool(1, false);
        writer.endList(0);
        writer.end();
        assertThat(hex(writer)).isEqualTo("1a21010200");
    }

    @Test
    void claimHugeLength_bothProtocols_replaceTheLengthOfTheLastText() {
        ThriftBytes binary = ThriftBytes.binary(SCHEMA, LAYOUT);
        ThriftBytes compact = ThriftBytes.compact(SCHEMA, LAYOUT);
        for (ThriftBytes writer : List.of(binary, compact)) {
            writer.begin();
            writer.bool(0, false);
            assertThat(writer.claimHugeLength()).isFalse();
            text(writer, 1, "abc");
            writer.end();
            assertThat(writer.claimHugeLength()).isTrue();
        }
        assertThat(hex(binary)).isEqualTo("02000100" + "0b00037fffffff616263" + "00");
        assertThat(hex(compact)).isEqualTo("12" + "28ffffffff07616263" + "00");
    }
}
