package io.thalweg.records.proto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.protobuf.CodedOutputStream;
import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Selection.Column;
import io.thalweg.records.translate.Translation;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProtoReaderTest {
    private static final ProtoSchema SHAPES = Protos.schema(Protos.SHAPES, "Shapes");

    /** Returns the value of a column after reading a message. */
    private static @Nullable Object read(String column, Protos.Content content) {
        return Protos.read(SHAPES, Protos.message(content)).get(column);
    }

    private static Map<String, Object> inner(long a, String b, Long... list) {
        return Map.of("a", a, "b", b, "list", List.of(list));
    }

    private static byte[] innerBytes(int a) {
        return Protos.message(out -> out.writeInt32(1, a));
    }

    private static void assertBad(byte[] message, RecordFault fault, String detail) {
        assertThatExceptionOfType(BadRecordException.class)
                .isThrownBy(() -> Protos.read(SHAPES, message))
                .satisfies(bad -> assertThat(bad.fault()).isEqualTo(fault))
                .withMessageContaining(detail);
    }

    @Test
    void read_oneField_reportsDefaultsForTheOthers() {
        Map<String, @Nullable Object> row = Protos.read(SHAPES, Protos.message(out -> out.writeString(2, "x")));
        assertThat(row)
                .containsEntry("text", "x")
                .containsEntry("number", 0L)
                .containsEntry("inner", null)
                .containsEntry("numbers", List.of())
                .containsEntry("map", List.of())
                .containsEntry("one_text", null)
                .containsEntry("time", null)
                .containsEntry("boxed", null)
                .containsEntry("color", "RED")
                .containsEntry("maybe", null)
                .containsEntry("far", "");
    }

    @Test
    void read_scalarTwice_takesTheLast() {
        assertThat(read("text", out -> {
                    out.writeString(2, "first");
                    out.writeInt32(1, 3);
                    out.writeString(2, "last");
                }))
                .isEqualTo("last");
    }

    @Test
    void read_messageTwice_mergesIt() {
        assertThat(read("inner", out -> {
                    out.writeByteArray(3, Protos.message(in -> {
                        in.writeInt32(1, 1);
                        in.writeFixed32(3, 10);
                    }));
                    out.writeString(2, "between");
                    out.writeByteArray(3, Protos.message(in -> {
                        in.writeString(2, "b");
                        in.writeFixed32(3, 11);
                    }));
                    out.writeByteArray(3, Protos.message(in -> {
                        in.writeInt32(1, 2);
                        in.writeFixed32(3, 12);
                    }));
                }))
                .isEqualTo(inner(2, "b", 10L, 11L, 12L));
    }

    @Test
    void read_oneofTwice_keepsTheLastMember() {
        byte[] message = Protos.message(out -> {
            out.writeByteArray(8, innerBytes(1));
            out.writeString(7, "text");
        });
        assertThat(Protos.read(SHAPES, message))
                .containsEntry("one_inner", null)
                .containsEntry("one_text", "text");
    }

    @Test
    void read_oneofMessageAfterAnotherMember_isNotMergedWithItsFormerSelf() {
        assertThat(read("one_inner", out -> {
                    out.writeByteArray(8, Protos.message(in -> in.writeString(2, "former")));
                    out.writeString(7, "text");
                    out.writeByteArray(8, innerBytes(2));
                    out.writeByteArray(8, Protos.message(in -> in.writeFixed32(3, 1)));
                }))
                .isEqualTo(inner(2, "", 1L));
    }

    @Test
    void read_oneofMemberNotSelected_clearsTheSelectedOne() {
        byte[] message = Protos.message(out -> {
            out.writeString(7, "text");
            out.writeByteArray(8, innerBytes(1));
        });
        Translation translation =
                Translation.of(SHAPES.struct(), new Selection(List.of(new Column("t", List.of("one_text")))));
        NaiveRows rows = new NaiveRows(translation.target());
        SHAPES.reader(translation, Limits.DEFAULT).read(message, 0, message.length, rows);
        assertThat(rows.take()).containsEntry("t", null);
    }

    @Test
    void read_listPackedAndNot_collectsInOrder() {
        assertThat(read("numbers", out -> {
                    out.writeSInt32(4, -1);
                    out.writeByteArray(4, Protos.message(in -> {
                        in.writeSInt32NoTag(2);
                        in.writeSInt32NoTag(-3000);
                    }));
                    out.writeInt32(1, 0);
                    out.writeByteArray(4, new byte[0]);
                    out.writeSInt32(4, 4);
                }))
                .isEqualTo(List.of(-1L, 2L, -3000L, 4L));
    }

    @Test
    void read_mapEntries_passThroughInOrderWithDefaults() {
        assertThat(read("map", out -> {
                    out.writeByteArray(6, Protos.message(in -> {
                        in.writeByteArray(2, innerBytes(1));
                        in.writeString(1, "k");
                    }));
                    out.writeByteArray(6, Protos.message(in -> in.writeString(1, "k")));
                    out.writeByteArray(6, new byte[0]);
                }))
                .isEqualTo(List.of("k", inner(1, ""), "k", inner(0, ""), "", inner(0, "")));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, 0",
        "1, 999, 1000000",
        "-1, 999999999, -1",
        "-1, 0, -1000000",
        "0, -1, -1",
        "0, -1000, -1",
        "9223372036854, 775807999, 9223372036854775807",
        "-9223372036855, 224192000, -9223372036854775808",
    })
    void read_timestampsAndDurations_areRoundedDownToMicroseconds(long seconds, int nanos, long micros) {
        byte[] value = Protos.message(out -> {
            out.writeInt64(1, seconds);
            out.writeInt32(2, nanos);
        });
        assertThat(read("time", out -> out.writeByteArray(9, value))).isEqualTo(micros);
        assertThat(read("lasts", out -> out.writeByteArray(10, value))).isEqualTo(micros);
    }

    @ParameterizedTest
    @CsvSource({
        "9223372036854, 775808000",
        "9223372036855, 0",
        "-9223372036855, 224191999",
        "-9223372036855, -1",
        "9223372036854775807, 999999999",
        "-9223372036854775808, 0",
        "-9223372036854775808, 999999999",
    })
    void read_timestampBeyondInt64_isOutOfRange(long seconds, int nanos) {
        byte[] value = Protos.message(out -> {
            out.writeInt64(1, seconds);
            out.writeInt32(2, nanos);
        });
        assertBad(Protos.message(out -> out.writeByteArray(9, value)), RecordFault.OUT_OF_RANGE, "'time'");
    }

    @Test
    void read_timestampInTwoParts_isMerged() {
        assertThat(read("time", out -> {
                    out.writeByteArray(9, Protos.message(in -> in.writeInt64(1, 5)));
                    out.writeByteArray(9, Protos.message(in -> in.writeInt32(2, 7_000)));
                }))
                .isEqualTo(5_000_007L);
    }

    @Test
    void read_wrapper_tellsItsDefaultFromNull() {
        assertThat(read("boxed", out -> out.writeByteArray(11, new byte[0]))).isEqualTo(0L);
        assertThat(read("boxed", out -> out.writeByteArray(11, innerBytes(-4)))).isEqualTo(-4L);
    }

    @ParameterizedTest
    @CsvSource({"0, RED", "5, BLUE", "4, 4", "-7, -7", "-2147483648, -2147483648"})
    void read_enum_isItsNameOrDigits(int number, String expected) {
        assertThat(read("color", out -> out.writeEnum(12, number))).isEqualTo(expected);
    }

    @Test
    void read_enumOfProto2WithoutName_isDigitsAlthoughTheLibraryDropsIt() {
        ProtoSchema schema = Protos.schema("""
                name: 'm.proto' syntax: 'proto2'
                message_type { name: 'M'
                  field { name: 'e' number: 1 type: TYPE_ENUM type_name: '.E' label: LABEL_OPTIONAL } }
                enum_type { name: 'E' value { name: 'A' number: 1 } }
                """, "M");
        assertThat(Protos.read(schema, Protos.message(out -> out.writeEnum(1, 2))))
                .containsEntry("e", "2");
    }

    @Test
    void read_mapOfProto2EnumWithoutValue_hasItsFirstNumber() {
        ProtoSchema schema = Protos.schema("""
                name: 'm.proto' syntax: 'proto2'
                message_type { name: 'M'
                  field { name: 'm' number: 1 type: TYPE_MESSAGE type_name: '.M.MEntry' label: LABEL_REPEATED }
                  nested_type { name: 'MEntry' options { map_entry: true }
                    field { name: 'key' number: 1 type: TYPE_BOOL label: LABEL_OPTIONAL }
                    field { name: 'value' number: 2 type: TYPE_ENUM type_name: '.E' label: LABEL_OPTIONAL } } }
                enum_type { name: 'E' value { name: 'A' number: 3 } }
                """, "M");
        assertThat(Protos.read(schema, Protos.message(out -> out.writeByteArray(1, new byte[0]))))
                .containsEntry("m", List.of(false, "A"));
    }

    @Test
    void read_requiredFieldMissing_isNamedAlsoBelowAPulledUpField() {
        ProtoSchema schema = Protos.schema("""
                name: 'm.proto' syntax: 'proto2'
                message_type { name: 'M'
                  field { name: 'n' number: 1 type: TYPE_MESSAGE type_name: '.N' label: LABEL_OPTIONAL } }
                message_type { name: 'N'
                  field { name: 'must' number: 1 type: TYPE_INT32 label: LABEL_REQUIRED }
                  field { name: 'may' number: 2 type: TYPE_INT32 label: LABEL_OPTIONAL } }
                """, "M");
        Translation translation =
                Translation.of(schema.struct(), new Selection(List.of(new Column("x", List.of("n", "may")))));
        byte[] message = Protos.message(out -> out.writeByteArray(1, new byte[0]));
        assertThatExceptionOfType(BadRecordException.class)
                .isThrownBy(() -> schema.reader(translation, Limits.DEFAULT)
                        .read(message, 0, message.length, new NaiveRows(translation.target())))
                .satisfies(bad -> assertThat(bad.fault()).isEqualTo(RecordFault.MISSING_FIELD))
                .withMessageContaining("'n.must'");
    }

    @Test
    void read_groups_areSkippedButKnown() {
        ProtoSchema schema = Protos.schema("""
                name: 'm.proto' syntax: 'proto2'
                message_type { name: 'M'
                  field { name: 'id' number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL }
                  field { name: 'must' number: 2 type: TYPE_GROUP type_name: '.M.G' label: LABEL_REQUIRED }
                  field { name: 'many' number: 3 type: TYPE_GROUP type_name: '.M.G' label: LABEL_REPEATED }
                  field { name: 'one' number: 4 type: TYPE_GROUP type_name: '.M.G' label: LABEL_OPTIONAL oneof_index: 0 }
                  field { name: 'text' number: 5 type: TYPE_STRING label: LABEL_OPTIONAL oneof_index: 0 }
                  nested_type { name: 'G' field { name: 'x' number: 1 type: TYPE_INT32 label: LABEL_OPTIONAL } }
                  oneof_decl { name: 'o' } }
                """, "M");
        Translation translation = Translation.of(
                schema.struct(),
                new Selection(List.of(Column.all()), List.of(List.of("must"), List.of("many"), List.of("one"))));
        NaiveRows rows = new NaiveRows(translation.target());
        ProtoReader reader = schema.reader(translation, Limits.DEFAULT);
        byte[] message = Protos.message(out -> {
            out.writeString(5, "cleared by the group");
            for (int field : new int[] {2, 3, 3, 4}) {
                out.writeTag(field, 3);
                out.writeInt32(1, 7);
                out.writeTag(field, 4);
            }
            out.writeInt32(1, 5);
        });

        reader.read(message, 0, message.length, rows);

        Map<String, @Nullable Object> expected = new HashMap<>();
        expected.put("id", 5L);
        expected.put("text", null);
        assertThat(rows.take()).isEqualTo(expected);
        assertThat(reader.unknownFields()).isZero();
        byte[] without = Protos.message(out -> out.writeInt32(1, 5));
        assertThatExceptionOfType(BadRecordException.class)
                .isThrownBy(() -> reader.read(without, 0, without.length, rows))
                .withMessageContaining("'must' must be there");
        byte[] scalar = Protos.message(out -> out.writeInt32(3, 5));
        assertThatExceptionOfType(BadRecordException.class)
                .isThrownBy(() -> reader.read(scalar, 0, scalar.length, rows))
                .withMessageContaining("field 3 has wire type 0 where a GROUP has 3");
    }

    @Test
    void read_unsignedBeyondInt64_isOutOfRange() {
        assertBad(Protos.message(out -> out.writeUInt64(13, -1)), RecordFault.OUT_OF_RANGE, "18446744073709551615");
    }

    @Test
    void read_numberOfMoreBitsThanItsType_isTruncatedAsByTheLibrary() {
        assertThat(read("number", out -> out.writeUInt64(1, (7L << 32) + 3))).isEqualTo(3L);
    }

    @Test
    void read_unknownFields_areSkippedAndCounted() {
        byte[] nested = Protos.message(in -> {
            in.writeInt32(99, 1);
            in.writeInt32(1, 8);
        });
        byte[] message = Protos.message(out -> {
            out.writeTag(100, 3);
            out.writeTag(101, 3);
            out.writeInt32(1, 5);
            out.writeTag(101, 4);
            out.writeTag(100, 4);
            out.writeFixed64(20, 1);
            out.writeByteArray(3, nested);
            out.writeInt32(1, 6);
        });
        // The same field as a whole and in part: its unknown field counts once.
        Translation translation = Translation.of(
                SHAPES.struct(),
                new Selection(List.of(new Column("i", List.of("inner")), new Column("a", List.of("inner", "a")))));
        NaiveRows rows = new NaiveRows(translation.target());
        ProtoReader reader = SHAPES.reader(translation, Limits.DEFAULT);
        reader.read(message, 0, message.length, rows);
        assertThat(rows.take()).isEqualTo(Map.of("i", inner(8, ""), "a", 8L));
        assertThat(reader.unknownFields()).isEqualTo(3);
        reader.read(message, 0, message.length, rows);
        assertThat(reader.unknownFields()).isEqualTo(6);
    }

    @Test
    void read_messageWithinALargerArray_staysWithinIt() {
        byte[] message = Protos.message(out -> out.writeString(2, "x"));
        byte[] around = new byte[message.length + 20];
        Arrays.fill(around, (byte) 0xFF);
        System.arraycopy(message, 0, around, 7, message.length);
        Translation translation = Translation.of(SHAPES.struct(), Selection.ALL);
        NaiveRows rows = new NaiveRows(translation.target());
        SHAPES.reader(translation, Limits.DEFAULT).read(around, 7, 7 + message.length, rows);
        assertThat(rows.take()).containsEntry("text", "x");
    }

    @Test
    void read_afterABadMessage_startsAnew() {
        Translation translation = Translation.of(SHAPES.struct(), Selection.ALL);
        NaiveRows rows = new NaiveRows(translation.target());
        ProtoReader reader = SHAPES.reader(translation, Limits.DEFAULT);
        byte[] bad = Protos.message(out -> {
            out.writeInt32(1, 5);
            out.writeByteArray(8, innerBytes(1));
            out.writeByteArray(3, new byte[] {8});
        });
        assertThatExceptionOfType(BadRecordException.class).isThrownBy(() -> reader.read(bad, 0, bad.length, rows));
        rows.clear();
        byte[] good = Protos.message(out -> out.writeString(2, "x"));
        reader.read(good, 0, good.length, rows);
        assertThat(rows.take()).isEqualTo(Protos.read(SHAPES, good));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            0001                     | a field has a number that is not 1 to 536870911
            80808080108000           | a field has a number that is not 1 to 536870911
            08                       | ends within a varint
            08FF                     | ends within a varint
            08FFFFFFFFFFFFFFFFFFFF01 | a varint has more than 64 bits
            08FFFFFFFFFFFFFFFFFF02   | a varint has more than 64 bits
            08FFFFFFFFFFFFFFFFFFFF   | a varint has more than 64 bits
            08FFFFFFFFFFFFFFFFFF     | ends within a varint
            1205                     | a length is 5 where 0 bytes are left
            12FFFFFFFF0F             | a length is more than 2147483647 where 0 bytes are left
            12FFFFFFFFFFFFFFFFFF01   | a length is more than 2147483647
            1A020801 08              | ends within a varint
            1A0108                   | ends within a varint
            220180                   | ends within a varint
            7A03000000               | ends within a number of 4 bytes
            0C                       | has wire type 4 where a INT32
            A406                     | ends a group that was not started
            A306                     | ends within group 100
            A306AC06                 | ends a group that was not started
            A606                     | wire type 6, which does not exist
            A706                     | wire type 7, which does not exist
            A106FF                   | ends within a number of 8 bytes
            0D00000000               | field 1 has wire type 5 where a INT32 has 0
            1001                     | field 2 has wire type 0 where a STRING has 2
            2500000000               | field 4 has wire type 5 where a SINT32 has 0
            2801                     | field 5 has wire type 0 where a STRUCT has 2
            """)
    void read_malformed_isUndecodable(String hex, String detail) {
        assertBad(HexFormat.of().parseHex(hex.replace(" ", "")), RecordFault.UNDECODABLE, detail);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            1202C080                 | 'text' must be valid Unicode text, was not UTF-8 at its byte 0
            1203EDA080               | 'text' must be valid Unicode text, was not UTF-8 at its byte 0
            1202C080 120161          | 'text' must be valid Unicode text, was not UTF-8 at its byte 0
            1A041202C080             | 'inner.b' must be valid Unicode text
            """)
    void read_textThatIsNotUtf8_isInvalidText(String hex, String detail) {
        assertBad(HexFormat.of().parseHex(hex.replace(" ", "")), RecordFault.INVALID_TEXT, detail);
    }

    @Test
    void read_noBytes_areAllDefaults() {
        assertThat(Protos.read(SHAPES, new byte[0]))
                .isEqualTo(Protos.read(SHAPES, Protos.message(out -> out.writeInt32(1, 0))))
                .containsEntry("number", 0L)
                .containsEntry("inner", null);
    }

    @ParameterizedTest
    @CsvSource({"1, false", "2, true"})
    void read_messageBelowTheRoot_needsTwoLevels(int depth, boolean good) {
        assertLevels(depth, good, out -> out.writeByteArray(3, innerBytes(1)));
        assertLevels(depth, good, out -> out.writeByteArray(9, new byte[0]));
        assertLevels(depth, good, out -> out.writeByteArray(16, new byte[0]));
        assertLevels(depth, good, ProtoReaderTest::writeGroup);
    }

    private static void writeGroup(CodedOutputStream out) throws IOException {
        out.writeTag(100, 3);
        out.writeTag(100, 4);
    }

    @ParameterizedTest
    @CsvSource({"2, false", "3, true"})
    void read_messageBelowAMessage_needsThreeLevels(int depth, boolean good) {
        byte[] group = Protos.message(ProtoReaderTest::writeGroup);
        assertLevels(depth, good, out -> out.writeByteArray(3, group));
        assertLevels(
                depth, good, out -> out.writeByteArray(6, Protos.message(in -> in.writeByteArray(2, innerBytes(1)))));
        assertLevels(depth, good, out -> {
            out.writeTag(101, 3);
            out.writeRawBytes(group);
            out.writeTag(101, 4);
        });
    }

    private static void assertLevels(int depth, boolean good, Protos.Content content) {
        byte[] message = Protos.message(content);
        Limits limits = new Limits(1 << 20, 1 << 20, 100, depth);
        Translation translation = Translation.of(SHAPES.struct(), Selection.ALL);
        NaiveRows rows = new NaiveRows(translation.target());
        ProtoReader reader = SHAPES.reader(translation, limits);
        if (good) {
            reader.read(message, 0, message.length, rows);
            assertThat(rows.take()).isNotEmpty();
        } else {
            assertThatExceptionOfType(BadRecordException.class)
                    .isThrownBy(() -> reader.read(message, 0, message.length, rows))
                    .satisfies(bad -> assertThat(bad.fault()).isEqualTo(RecordFault.UNDECODABLE))
                    .withMessageContaining("more than " + depth + " levels");
        }
    }
}
