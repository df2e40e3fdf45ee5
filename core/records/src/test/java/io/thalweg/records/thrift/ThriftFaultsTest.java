package io.thalweg.records.thrift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.RecordReader;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Selection.Column;
import io.thalweg.records.translate.Translation;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.IntFunction;
import org.apache.thrift.TException;
import org.apache.thrift.protocol.TBinaryProtocol;
import org.apache.thrift.protocol.TCompactProtocol;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.transport.TMemoryBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages as bytes: bad ones with their faults, and odd ones that are valid. */
class ThriftFaultsTest {
    private static final String IDL = """
            enum Status { NEW = 0, DONE = 5 }
            struct Inner { 1: required i32 a }
            struct Empty {}
            union Either { 1: i32 number; 2: string text }
            struct Ride {
              1: required i32 id
              2: optional string city
              3: optional list<i32> numbers
              4: optional map<string, i64> counts
              5: optional Inner inner
              6: optional Either either
              7: optional bool ok
              8: optional list<Empty> empties
              9: optional i64 at (thalweg.type = "timestamp_s")
              10: optional binary key (thalweg.type = "uuid")
              11: optional list<bool> flags
              12: optional i16 small
              13: optional Status status
              14: optional uuid trace
            }
            """;

    /** {@code 1: i32 42} in the binary protocol. */
    private static final String ID = "08 0001 0000002A";

    private static final ThriftSchema SCHEMA =
            ThriftSchema.parse("ride.thrift", Map.of("ride.thrift", IDL)::get, "Ride");

    private static byte[] bytes(@Nullable String hex) {
        return hex == null
                ? new byte[0]
                : HexFormat.of().parseHex(hex.replace("ID", ID).replace(" ", ""));
    }

    private static Map<String, @Nullable Object> read(Protocol protocol, Selection selection, byte[] message) {
        Translation translation = Translation.of(SCHEMA.struct(), selection);
        RecordReader reader = SCHEMA.reader(protocol, translation, Limits.DEFAULT);
        NaiveRows rows = new NaiveRows(translation.target());
        reader.read(message, 0, message.length, rows);
        return rows.finish();
    }

    private static BadRecordException fault(Protocol protocol, Selection selection, byte[] message) {
        BadRecordException bad =
                catchThrowableOfType(BadRecordException.class, () -> read(protocol, selection, message));
        assertThat(bad).as("refused").isNotNull();
        return bad;
    }

    private static Selection columns(String... names) {
        return new Selection(Arrays.stream(names)
                .map(name -> new Column(name, List.of(name.split("\\."))))
                .toList());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "no bytes |  | EMPTY | no bytes",
                "no fields | 00 | MISSING_FIELD | 'id'",
                "no stop | ID | UNDECODABLE | cut off",
                "bytes after the end | ID 00 00 | UNDECODABLE | 1 bytes follow",
                "the same field twice | ID ID 00 | UNDECODABLE | 'id' is there twice",
                "wider number | 0A 0001 000000000000002A 00 | WRONG_TYPE | 'id' must be i32, was i64",
                "narrower number | 06 0001 002A 00 | WRONG_TYPE | 'id' must be i32, was i16",
                "other type of an optional field | ID 08 0002 00000001 00 | WRONG_TYPE | 'city' must be string",
                "set for list | ID 0E 0003 08 00000000 00 | WRONG_TYPE | 'numbers' must be list, was set",
                "other type of elements | ID 0F 0003 0A 00000001 0000000000000001 00 | WRONG_TYPE | 'numbers[]' must be i32",
                "other type of keys | ID 0D 0004 08 0A 00000001 00000001 0000000000000001 00 | WRONG_TYPE | 'counts[key]'",
                "other type of values | ID 0D 0004 0B 08 00000001 00000000 0000000000000001 00 | WRONG_TYPE | 'counts[value]'",
                "missing field of an inner struct | ID 0C 0005 00 00 | MISSING_FIELD | 'inner.a'",
                "type that does not exist | ID 05 0063 00 | UNDECODABLE | no type 5",
                "known field of no type | ID 07 0002 00 | UNDECODABLE | no type 7",
                "skipped list of no type | ID 0F 0063 01 00000001 00 00 | UNDECODABLE | no type 1",
                "field 0 | ID 08 0000 00000001 00 | UNDECODABLE | no field 0",
                "long text | ID 0B 0002 7FFFFFFF 00 | UNDECODABLE | 2147483647",
                "text of negative length | ID 0B 0002 FFFFFFFF 00 | UNDECODABLE | a string of more than 2147483647 bytes",
                "skipped text of negative length | ID 0B 0063 80000000 00 | UNDECODABLE | more than 2147483647",
                "malformed text | ID 0B 0002 00000001 FF 00 | INVALID_TEXT | UTF-8",
                "long list | ID 0F 0003 08 77359400 00 | UNDECODABLE | 2000000000 elements",
                "list of negative size | ID 0F 0003 08 FFFFFFFF 00 | UNDECODABLE | more than 2147483647 elements",
                "skipped list of negative size | ID 0F 0063 08 FFFFFFFF 00 | UNDECODABLE | more than 2147483647 elements",
                "list that is cut off | ID 0F 0003 08 00000002 0000000100 | UNDECODABLE | 2 elements",
                "more empty structs than bytes | ID 0F 0008 0C 00000007 000000000000 | UNDECODABLE | 7 elements",
                "long map | ID 0D 0004 0B 0A 77359400 00 | UNDECODABLE | 2000000000 elements",
                "skipped long map | ID 0D 0063 0B 0A 77359400 00 | UNDECODABLE | 2000000000 elements",
                "union with two fields | ID 0C 0006 080001 00000001 0B0002 00000000 00 00 | UNDECODABLE | union Either",
                "union with an unknown field | ID 0C 0006 080001 00000001 0B0009 00000000 00 00 | UNDECODABLE | union Either",
                "neither true nor false | ID 02 0007 02 00 | UNDECODABLE | a bool must be 0 or 1",
                "neither true nor false in a list | ID 0F 000B 02 00000001 FF 00 | UNDECODABLE | a bool must be 0 or 1",
                "time beyond microseconds | ID 0A 0009 7FFFFFFFFFFFFFFF 00 | OUT_OF_RANGE | 'at' must be a time",
                "time before microseconds | ID 0A 0009 FFFF000000000000 00 | OUT_OF_RANGE | 'at' must be a time",
                "UUID of 3 bytes | ID 0B 000A 00000003 010203 00 | OUT_OF_RANGE | 'key' must be a UUID",
            })
    void read_badBinary_saysWhy(String name, @Nullable String hex, RecordFault expected, String detail) {
        BadRecordException bad = fault(Protocol.BINARY, Selection.ALL, bytes(hex));
        assertThat(bad.fault()).as(bad.detail()).isEqualTo(expected);
        assertThat(bad.detail()).contains(detail);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "no bytes |  | EMPTY | no bytes",
                "no fields | 00 | MISSING_FIELD | 'id'",
                "no stop | 1554 | UNDECODABLE | cut off",
                "bytes after the end | 1554 00 00 | UNDECODABLE | 1 bytes follow",
                "the same field twice | 1554 05 02 54 00 | UNDECODABLE | 'id' is there twice",
                "wider number | 1654 00 | WRONG_TYPE | 'id' must be i32, was i64",
                "bool for number | 11 00 | WRONG_TYPE | 'id' must be i32, was bool",
                "number for bool | 1554 6502 00 | WRONG_TYPE | 'ok' must be bool, was i32",
                "other type of elements | 1554 29 16 02 00 | WRONG_TYPE | 'numbers[]' must be i32",
                "other type of keys | 1554 3B 01 56 02 02 00 | WRONG_TYPE | 'counts[key]'",
                "other type of values | 1554 3B 01 85 00 02 00 | WRONG_TYPE | 'counts[value]'",
                "type that does not exist | 1554 1E 00 | UNDECODABLE | no type 14",
                "delta without a type | 1554 10 00 | UNDECODABLE | no type 0",
                "field 0 | 1554 05 00 02 00 | UNDECODABLE | no field 0",
                "field beyond 16 bits | 1554 05 FEFF03 02 15 02 00 | UNDECODABLE | at most 32767",
                "long number | 15 FFFFFFFF1F 00 | UNDECODABLE | more bits",
                "endless number | 15 FFFFFFFFFF00 | UNDECODABLE | more bits",
                "long number of 64 bits | 1554 86 80808080808080808002 00 | UNDECODABLE | more bits",
                "skipped endless number | 1554 06 C601 8080808080808080808000 00 | UNDECODABLE | more bits",
                "number that is cut off | 15 FF | UNDECODABLE | cut off",
                "number beyond 16 bits | 1554 B4 80F104 00 | UNDECODABLE | 16 bits",
                "long text | 1554 18 FFFFFFFF07 00 | UNDECODABLE | 2147483647",
                "text of negative length | 1554 18 FFFFFFFF0F 00 | UNDECODABLE | a string of more than 2147483647 bytes",
                "malformed text | 1554 18 02 C3 28 00 | INVALID_TEXT | UTF-8",
                "long list | 1554 29 F5 80A8D6B907 00 | UNDECODABLE | 2000000000 elements",
                "list of negative size | 1554 29 F5 FFFFFFFF0F 00 | UNDECODABLE | more than 2147483647 elements",
                "more empty structs than bytes | 1554 79 7C 000000000000 | UNDECODABLE | 7 elements",
                "long map | 1554 3B 80A8D6B907 86 00 | UNDECODABLE | 2000000000 elements",
                "skipped list of no type | 1554 09 C601 1F 00 00 | UNDECODABLE | no type 15",
                "union with two fields | 1554 5C 15 02 18 00 00 00 | UNDECODABLE | union Either",
                "neither true nor false in a list | 1554 A9 12 03 00 | UNDECODABLE | a bool must be 0, 1 or 2",
                "time beyond microseconds | 1554 86 FEFFFFFFFFFFFFFFFF01 00 | OUT_OF_RANGE | 'at' must be a time",
                "UUID of 3 bytes | 1554 98 03 010203 00 | OUT_OF_RANGE | 'key' must be a UUID",
            })
    void read_badCompact_saysWhy(String name, @Nullable String hex, RecordFault expected, String detail) {
        BadRecordException bad = fault(Protocol.COMPACT, Selection.ALL, bytes(hex));
        assertThat(bad.fault()).as(bad.detail()).isEqualTo(expected);
        assertThat(bad.detail()).contains(detail);
    }

    @Test
    void read_protocolsSwapped_isUndecodable() {
        byte[] binary = bytes("ID 0B 0002 00000001 41 00");
        byte[] compact = bytes("1554 18 01 41 00");
        assertThat(fault(Protocol.COMPACT, Selection.ALL, binary).fault()).isEqualTo(RecordFault.UNDECODABLE);
        assertThat(fault(Protocol.BINARY, Selection.ALL, compact).fault()).isEqualTo(RecordFault.UNDECODABLE);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "BINARY | true and false | ID 0F 000B 02 00000002 01 00 00 | flags | [true, false]",
                "COMPACT | true and both kinds of false | 1554 A9 32 01 00 02 00 | flags | [true, false, false]",
                "COMPACT | the other type of bools | 1554 A9 21 01 02 00 | flags | [true, false]",
                "BINARY | empty list of another type | ID 0F 0003 00 00000000 00 | numbers | []",
                "COMPACT | empty list of another type | 1554 29 00 00 | numbers | []",
                "BINARY | empty map of other types | ID 0D 0004 00 00 00000000 00 | counts | []",
                "COMPACT | empty map | 1554 3B 00 00 | counts | []",
                "BINARY | empty structs | ID 0F 0008 0C 00000002 00 00 00 | empties | [{}, {}]",
                "BINARY | symbol | ID 08 000D 00000005 00 | status | DONE",
                "BINARY | symbol between others | ID 08 000D 00000003 00 | status | 3",
                "BINARY | negative symbol | ID 08 000D 80000000 00 | status | -2147483648",
                "COMPACT | unknown symbol | 1554 C5 D00F 00 | status | 1000",
                "BINARY | time | ID 0A 0009 FFFFFFFFFFFFFFFF 00 | at | -1000000",
                "BINARY | UUID of the specification | ID 10 000E 00112233445566778899AABBCCDDEEFF 00 | trace | 0x00112233445566778899aabbccddeeff",
                "COMPACT | UUID of the specification | 1554 DD 00112233445566778899AABBCCDDEEFF 00 | trace | 0x00112233445566778899aabbccddeeff",
                "BINARY | union of an unknown field | ID 0C 0006 080009 00000001 00 00 | either | {number=null, text=null}",
                "COMPACT | field after a higher one | 28 03 414243 05 02 54 00 | city | ABC",
                "COMPACT | ids written in full | 05 02 54 08 04 00 00 | city | ~~",
            })
    void read_oddButGood_isRead(Protocol protocol, String name, String hex, String column, String expected) {
        assertThat(String.valueOf(read(protocol, columns(column), bytes(hex)).get(column)))
                .as(name)
                .isEqualTo(expected);
    }

    @Test
    void read_otherTypeOfAFieldThatIsNotSelected_isSkipped() {
        assertThat(read(Protocol.BINARY, columns("id"), bytes("ID 08 0002 00000001 00"))
                        .get("id"))
                .isEqualTo(42L);
        assertThat(fault(Protocol.BINARY, columns("city"), bytes("0A 0001 000000000000002A 00"))
                        .fault())
                .as("required, so that its presence counts")
                .isEqualTo(RecordFault.WRONG_TYPE);
    }

    @Test
    void read_twoColumnsOfOneField_haveTheSameValue() {
        Selection selection = new Selection(List.of(
                new Column("whole", List.of("inner")),
                new Column("a", List.of("inner", "a")),
                new Column("again", List.of("inner", "a"))));
        assertThat(read(Protocol.COMPACT, selection, bytes("1554 4C 1502 00 00")))
                .isEqualTo(Map.of("whole", Map.of("a", 1L), "a", 1L, "again", 1L));
    }

    @ParameterizedTest(name = "{0} of protocol {1}")
    @CsvSource({
        "structs, BINARY,  ID,   0C0063, 0C0063,       00,           00",
        "lists,   BINARY,  ID,   0F0063, 0F00000001,   0800000000,   ''",
        "maps,    BINARY,  ID,   0D0063, 0D0200000001, 020200000000, 00",
        "structs, COMPACT, 1554, 0CC601, 0CC601,       00,           00",
        "lists,   COMPACT, 1554, 09C601, 19,           05,           ''",
        "maps,    COMPACT, 1554, 0BC601, 01B2,         00,           02",
    })
    void read_nestedToTheLimit_isGoodAndDeeperIsNot(
            String name, Protocol protocol, String id, String field, String open, String leaf, String close) {
        int deepest = Limits.DEFAULT.depth() - 1; // The message itself is the first level.
        IntFunction<byte[]> nested =
                depth -> bytes(id + field + open.repeat(depth - 1) + leaf + close.repeat(depth - 1) + "00");
        assertThat(read(protocol, columns("id"), nested.apply(deepest))).containsEntry("id", 42L);
        for (int depth : new int[] {deepest + 1, 10_000}) {
            BadRecordException bad = fault(protocol, columns("id"), nested.apply(depth));
            assertThat(bad.fault()).isEqualTo(RecordFault.UNDECODABLE);
            assertThat(bad.detail()).contains("nested more than 64 levels");
        }
    }

    /** Thrift's library for Java writes UUIDs as specified, which versions up to 0.22 did not. */
    @ParameterizedTest
    @EnumSource(Protocol.class)
    void write_uuidByTheJavaLibrary_isAsSpecified(Protocol protocol) throws TException {
        TMemoryBuffer buffer = new TMemoryBuffer(16);
        TProtocol out = protocol == Protocol.BINARY ? new TBinaryProtocol(buffer) : new TCompactProtocol(buffer);
        ByteBuffer specified = ByteBuffer.wrap(bytes("00112233445566778899AABBCCDDEEFF"));
        out.writeUuid(new UUID(specified.getLong(), specified.getLong()));
        assertThat(HexFormat.of().formatHex(Arrays.copyOf(buffer.getArray(), 16)))
                .isEqualTo("00112233445566778899aabbccddeeff");
    }
}
