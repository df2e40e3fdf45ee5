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
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;

class AvroBytesTest {
    private static final HexFormat HEX = HexFormat.of();

    private static Struct struct(Field... fields) {
        return new Struct(List.of(fields));
    }

    private static Schema record(String fields) {
        return new Schema.Parser().parse("{\"type\": \"record\", \"name\": \"r\", \"fields\": [" + fields + "]}");
    }

    private static void text(ByteRecordWriter writer, int slot, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        writer.bytes(slot, bytes, 0, bytes.length);
    }

    private static String hex(ByteRecordWriter writer) {
        return HEX.formatHex(writer.data(), writer.from(), writer.to());
    }

    @Test
    void schema_ofAllKinds_isPinned() {
        Struct schema = struct(
                Field.required("id", FieldType.UUID),
                Field.optional("at", FieldType.TIMESTAMP),
                Field.required("status", new FieldType.Symbols(List.of("OPEN", "CLOSED"))),
                Field.required("price", new FieldType.Decimal(9, 2)),
                Field.required("by", new FieldType.MapOf(FieldType.INT32, FieldType.TEXT, true)));
        assertThat(AvroSchemas.of(schema, "ride")).isEqualTo(new Schema.Parser().parse("""
                {"type": "record", "name": "ride", "fields": [
                  {"name": "id", "type": {"type": "string", "logicalType": "uuid"}},
                  {"name": "at", "type": ["null", {"type": "long", "logicalType": "timestamp-micros"}], "default": null},
                  {"name": "status", "type": {"type": "enum", "name": "ride_status", "symbols": ["OPEN", "CLOSED"]}},
                  {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
                  {"name": "by", "type": {"type": "array", "items": {"type": "record", "name": "ride_by_entry", "fields": [
                    {"name": "key", "type": "int"}, {"name": "value", "type": "string"}]}}}]}
                """));
    }

    @Test
    void schema_nameThatAvroForbids_isRefused() {
        assertThatThrownBy(() -> AvroSchemas.of(struct(Field.required("ride-id", FieldType.TEXT)), "ride"))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("ride-id");
    }

    @Test
    void constructor_unitsAndUnionsOfAGivenSchema_areFollowed() throws Exception {
        Struct schema = struct(
                Field.required("ms", FieldType.TIMESTAMP),
                Field.required("ns", FieldType.TIMESTAMP),
                Field.optional("last", FieldType.INT32),
                Field.required("amount", new FieldType.Decimal(9, 2)),
                Field.required("key", FieldType.UUID));
        Schema avro = record("""
                {"name": "ms", "type": {"type": "long", "logicalType": "timestamp-millis"}},
                {"name": "ns", "type": {"type": "long", "logicalType": "timestamp-nanos"}},
                {"name": "last", "type": ["int", "null"]},
                {"name": "amount", "type": {"type": "fixed", "name": "amount", "size": 6, "logicalType": "decimal",
                  "precision": 9, "scale": 2}},
                {"name": "key", "type": {"type": "fixed", "name": "key", "size": 16, "logicalType": "uuid"}}
                """);
        AvroBytes writer = new AvroBytes(schema, avro);
        writer.begin();
        writer.int64(0, -1);
        writer.int64(1, -1);
        writer.absent(2);
        writer.bytes(3, HEX.parseHex("ff38"), 0, 2);
        writer.bytes(4, HEX.parseHex("00112233445566778899aabbccddeeff"), 0, 16);
        writer.end();
        GenericRecord read = AvroOracle.read(avro, writer.data(), writer.from(), writer.to());
        assertThat(read.get("ms")).isEqualTo(-1L);
        assertThat(read.get("ns")).isEqualTo(-1000L);
        assertThat(read.get("last")).isNull();
        assertThat(hex(writer)).endsWith("02" + "ffffffffff38" + "00112233445566778899aabbccddeeff");
        assertThatThrownBy(() -> writer.int64(1, Long.MAX_VALUE / 999)).hasMessageContaining("'ns' must be a time");
        assertThatThrownBy(() -> writer.bytes(4, new byte[15], 0, 15)).hasMessageContaining("'key' must be 16 bytes");
    }

    @Test
    void endStruct_unionOfTypes_writesTheBranchOfTheOneValue() {
        Struct choice = struct(Field.optional("string", FieldType.TEXT), Field.optional("long", FieldType.INT64));
        Struct schema = struct(Field.optional("choice", choice), Field.required("after", FieldType.INT32));
        AvroBytes writer = new AvroBytes(schema, record("""
                {"name": "choice", "type": ["string", "null", "long"]}, {"name": "after", "type": "int"}
                """));
        writer.begin();
        writer.beginStruct(0);
        writer.absent(1);
        writer.int64(2, 5);
        writer.endStruct(0);
        writer.int64(3, 1);
        writer.end();
        assertThat(hex(writer)).isEqualTo("040a02");
        writer.begin();
        writer.int64(3, 1);
        writer.absent(0);
        writer.end();
        assertThat(hex(writer)).isEqualTo("0202");
        writer.begin();
        writer.beginStruct(0);
        text(writer, 1, "a");
        writer.int64(2, 5);
        assertThatThrownBy(() -> writer.endStruct(0))
                .isInstanceOf(BadRecordException.class)
                .hasMessageContaining("'choice' must have a value for exactly one of its types, had 2");
    }

    @Test
    void constructor_schemaOfOtherFields_namesTheField() {
        Struct schema = struct(Field.required("a", FieldType.INT32), Field.required("b", FieldType.TEXT));
        assertThatThrownBy(() -> new AvroBytes(
                        schema,
                        record("{\"name\": \"a\", \"type\": \"int\"}, {\"name\": \"c\", \"type\": \"string\"}")))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("'b'");
    }

    @Test
    void bytes_nameThatIsNotListed_isOutOfRange() {
        AvroBytes writer =
                new AvroBytes(struct(Field.required("status", new FieldType.Symbols(List.of("OPEN", "CLOSED")))));
        writer.begin();
        text(writer, 0, "CLOSED");
        writer.end();
        assertThat(hex(writer)).isEqualTo("02");
        writer.begin();
        assertThatThrownBy(() -> text(writer, 0, "AJAR"))
                .isInstanceOf(BadRecordException.class)
                .hasMessageContaining("'status' must be a name of the enum");
    }

    @Test
    void end_fieldThatWasNotReported_isAnErrorThatNamesIt() {
        AvroBytes writer =
                new AvroBytes(struct(Field.required("a", FieldType.INT32), Field.optional("b", FieldType.TEXT)));
        writer.begin();
        writer.int64(0, 1);
        assertThatThrownBy(writer::end)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'b' was not reported");
    }

    @Test
    void claimHugeLength_afterALongList_replacesTheLengthOfTheLastText() {
        AvroBytes writer = new AvroBytes(struct(Field.required("tags", new FieldType.ListOf(FieldType.TEXT, true))));
        writer.begin();
        writer.beginList(0);
        for (int i = 0; i < 64; i++) {
            text(writer, 1, "ab");
        }
        writer.endList(0); // makes room for a count of two bytes
        writer.end();
        assertThat(writer.claimHugeLength()).isTrue();
        assertThat(hex(writer)).startsWith("8001046162").endsWith("046162" + "feffffff0f6162" + "00");
    }
}
