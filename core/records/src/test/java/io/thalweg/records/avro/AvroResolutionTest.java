package io.thalweg.records.avro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AvroResolutionTest {
    private static AvroSchema schema(String... fields) {
        return AvroSchema.parse(
                "{\"type\": \"record\", \"name\": \"R\", \"fields\": [" + String.join(", ", fields) + "]}");
    }

    private static String field(String name, String type) {
        return "{\"name\": \"" + name + "\", \"type\": " + type + "}";
    }

    private static Map<String, @Nullable Object> read(
            AvroSchema writer, AvroSchema table, Selection selection, AvroBytes message) {
        Translation translation = Translation.of(table.struct(), selection);
        NaiveRows rows = new NaiveRows(translation.target());
        byte[] bytes = message.toBytes();
        AvroReader.of(writer, table, translation, Limits.DEFAULT).read(bytes, 0, bytes.length, rows);
        return rows.take();
    }

    private static @Nullable Object value(String writer, String table, AvroBytes value) {
        return read(schema(field("v", writer)), schema(field("v", table)), Selection.ALL, value)
                .get("v");
    }

    private static void assertFault(RecordFault fault, String writer, String table, AvroBytes value) {
        assertThatThrownBy(() -> value(writer, table, value))
                .isInstanceOfSatisfying(
                        BadRecordException.class, e -> assertThat(e.fault()).isEqualTo(fault))
                .hasMessageContaining("'v'");
    }

    private static AvroBytes bytes() {
        return new AvroBytes();
    }

    @ParameterizedTest
    @CsvSource({
        "\"long\", \"int\"",
        "\"double\", \"float\"",
        "\"int\", \"string\"",
        "\"string\", \"int\"",
        "\"boolean\", \"int\"",
        "\"null\", \"int\"",
        "\"int\", \"null\"",
        "'[\"null\", \"string\"]', '[\"null\", \"int\"]'",
        "'{\"type\": \"array\", \"items\": \"string\"}', '{\"type\": \"array\", \"items\": \"int\"}'",
        "'{\"type\": \"array\", \"items\": \"int\"}', '{\"type\": \"map\", \"values\": \"int\"}'",
        "'{\"type\": \"fixed\", \"name\": \"F\", \"size\": 3}', '{\"type\": \"fixed\", \"name\": \"F\", \"size\": 4}'",
        "'{\"type\": \"fixed\", \"name\": \"F\", \"size\": 3}', '{\"type\": \"fixed\", \"name\": \"G\", \"size\": 3}'",
        "'{\"type\": \"enum\", \"name\": \"E\", \"symbols\": [\"A\"]}', '{\"type\": \"enum\", \"name\": \"F\", \"symbols\": [\"A\"]}'"
    })
    void of_incompatibleTypes_namesTheField(String writer, String table) {
        assertThatThrownBy(() -> value(writer, table, bytes()))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("'v' is written as");
    }

    @Test
    void of_fieldWithoutDefaultThatTheWriterLacks_namesIt() {
        assertThatThrownBy(() -> read(
                        schema(field("a", "\"int\"")),
                        schema(field("a", "\"int\""), field("b", "[\"null\", \"int\"]")),
                        Selection.ALL,
                        bytes()))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("'b' is missing from the writer's Avro schema");
    }

    @Test
    void of_incompatibleFieldThatIsNotSelected_isSkipped() {
        Map<String, @Nullable Object> row = read(
                schema(field("a", "\"string\""), field("b", "\"int\"")),
                schema(field("a", "[\"null\", \"int\"]"), field("b", "\"int\"")),
                new Selection(List.of(new Selection.Column("b", List.of("b")))),
                bytes().text("x").number(3));
        assertThat(row).isEqualTo(Map.of("b", 3L));
    }

    @Test
    void of_aliasesThatNameTwoFieldsAlike_isRefused() {
        String aliased = "{\"name\": \"a\", \"type\": \"int\", \"aliases\": [\"b\"]}";
        assertThatThrownBy(() -> read(
                        schema(field("a", "\"int\""), field("b", "\"int\"")),
                        schema(aliased),
                        Selection.ALL,
                        bytes().number(1).number(2)))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("aliases");
    }

    @Test
    void read_bytesAsString_mustBeUtf8() {
        assertThat(value("\"bytes\"", "\"string\"", bytes().text("\u20ac"))).isEqualTo("\u20ac");
        assertFault(RecordFault.INVALID_TEXT, "\"bytes\"", "\"string\"", bytes().bytes(0xFF));
        assertThat(value("\"string\"", "\"bytes\"", bytes().bytes(1, 2))).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2}));
    }

    @Test
    void read_promotions_roundAsJavaDoes() {
        long odd = (1L << 53) + 1;
        assertThat(value("\"long\"", "\"double\"", bytes().number(odd))).isEqualTo((double) odd);
        assertThat(value("\"long\"", "\"float\"", bytes().number(odd))).isEqualTo((double) (float) odd);
        assertThat(value("\"int\"", "\"float\"", bytes().number(16_777_217))).isEqualTo(16_777_216.0);
        assertThat(value("\"int\"", "\"double\"", bytes().number(16_777_217))).isEqualTo(16_777_217.0);
    }

    @Test
    void read_nullIntoRequiredField_isMissing() {
        assertThat(value("[\"null\", \"int\"]", "\"int\"", bytes().number(1).number(6)))
                .isEqualTo(6L);
        assertFault(RecordFault.MISSING_FIELD, "[\"null\", \"int\"]", "\"int\"", bytes().number(0));
    }

    @Test
    void read_nullInRequiredFieldThatIsNotSelected_isMissing() {
        AvroSchema writer = schema(field("v", "[\"null\", \"int\"]"), field("b", "\"int\""));
        AvroSchema table = schema(field("v", "\"int\""), field("b", "\"int\""));
        Selection selection = new Selection(List.of(new Selection.Column("b", List.of("b"))));
        assertThat(read(writer, table, selection, bytes().number(1).number(6).number(7)))
                .isEqualTo(Map.of("b", 7L));
        assertThatThrownBy(
                        () -> read(writer, table, selection, bytes().number(0).number(7)))
                .isInstanceOf(BadRecordException.class)
                .hasMessageContaining("'v' must be there");
    }

    @Test
    void read_branchThatTheTableCannotHold_isWrongType() {
        String union = "[\"string\", \"int\"]";
        assertThat(value(union, "\"long\"", bytes().number(1).number(6))).isEqualTo(6L);
        assertFault(RecordFault.WRONG_TYPE, union, "\"long\"", bytes().number(0).text("x"));
    }

    @Test
    void read_symbolThatTheTableLacks_isItsDefaultOrOutOfRange() {
        String writer = "{\"type\": \"enum\", \"name\": \"E\", \"symbols\": [\"A\", \"NEW\"]}";
        String table = "{\"type\": \"enum\", \"name\": \"E\", \"symbols\": [\"B\", \"A\"]}";
        assertThat(value(writer, table, bytes().number(0))).isEqualTo("A");
        assertFault(RecordFault.OUT_OF_RANGE, writer, table, bytes().number(1));
        String withDefault = table.replace("}", ", \"default\": \"B\"}");
        assertThat(value(writer, withDefault, bytes().number(1))).isEqualTo("B");
        assertFault(RecordFault.UNDECODABLE, writer, withDefault, bytes().number(2));
    }

    @Test
    void read_timeInAnotherUnit_isConverted() {
        String millis = "{\"type\": \"long\", \"logicalType\": \"timestamp-millis\"}";
        String micros = millis.replace("millis", "micros");
        String nanos = millis.replace("millis", "nanos");
        assertThat(value(millis, micros, bytes().number(7))).isEqualTo(7000L);
        assertThat(value(micros, millis, bytes().number(7))).isEqualTo(7L);
        assertThat(value(nanos, millis, bytes().number(7999))).isEqualTo(7L);
        assertThat(value("\"long\"", millis, bytes().number(7))).isEqualTo(7000L);
        assertThat(value("\"int\"", millis, bytes().number(7))).isEqualTo(7000L);
        assertThat(value(millis, "\"long\"", bytes().number(7))).isEqualTo(7L);
    }

    @Test
    void of_decimalOfAnotherScale_isRefused() {
        String decimal = "{\"type\": \"bytes\", \"logicalType\": \"decimal\", \"precision\": 9, \"scale\": 2}";
        assertThatThrownBy(() -> value(decimal, decimal.replace("2", "3"), bytes()))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("'v' is written with a scale of 2");
        assertThat(value("\"bytes\"", decimal, bytes().bytes(5))).isEqualTo(BigInteger.valueOf(5));
    }

    @Test
    void read_defaults_areReportedForEachUse() {
        AvroSchema writer = schema(field("a", "\"int\""));
        AvroSchema table = schema(field("a", "\"int\""), """
                {"name": "s", "type": {"type": "record", "name": "S", "fields": [
                   {"name": "x", "type": "string"}, {"name": "y", "type": "int"}]}, "default": {"x": "d", "y": 4}}""");
        Selection selection = new Selection(List.of(
                new Selection.Column("y", List.of("s", "y")),
                new Selection.Column("s", List.of("s")),
                new Selection.Column("a", List.of("a"))));
        assertThat(read(writer, table, selection, bytes().number(9)))
                .isEqualTo(Map.of("y", 4L, "s", Map.of("x", "d", "y", 4L), "a", 9L));
    }

    @Test
    void read_defaultsWithinElements_areReportedForEachElement() {
        String list = "{\"type\": \"array\", \"items\": {\"type\": \"record\", \"name\": \"S\", \"fields\": [%s]}}";
        String added = "{\"name\": \"x\", \"type\": [\"string\", \"null\"], \"default\": \"d\"}";
        Object value = value(
                list.formatted(field("i", "\"int\"")),
                list.formatted(added + ", " + field("i", "\"long\"")),
                bytes().number(2).number(1).number(2).number(0));
        assertThat(value).isEqualTo(List.of(Map.of("x", "d", "i", 1L), Map.of("x", "d", "i", 2L)));
    }

    @Test
    void of_defaultThatDoesNotFit_isRefusedWhenTheSchemaIsParsed() {
        assertThatThrownBy(() -> schema("{\"name\": \"a\", \"type\": \"int\", \"default\": \"x\"}"))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("a");
    }

    @Test
    void read_recordBranch_isChosenByNameBeforeFields() {
        String record = "{\"type\": \"record\", \"name\": \"%s\", \"fields\": [{\"name\": \"i\", \"type\": \"int\"}]}";
        String union = "[" + record.formatted("A") + ", " + record.formatted("B") + "]";
        assertThat(value(record.formatted("B"), union, bytes().number(1)))
                .isEqualTo(AvroReaderTest.row("A", null, "B", Map.of("i", 1L)));
        assertThat(value(record.formatted("C"), union, bytes().number(1)))
                .isEqualTo(AvroReaderTest.row("A", Map.of("i", 1L), "B", null));
        assertThat(value(record.formatted("other.B"), union, bytes().number(1)))
                .isEqualTo(AvroReaderTest.row("A", null, "B", Map.of("i", 1L)));
    }

    @Test
    void read_recordOfAnotherName_isTheFirstBranchThatItsFieldsFill() {
        String record = "{\"type\": \"record\", \"name\": \"%s\", \"fields\": [{\"name\": \"%s\", \"type\": \"int\"}]}";
        String union = "[" + record.formatted("A", "x") + ", " + record.formatted("B", "i") + "]";
        assertThat(value(record.formatted("C", "i"), union, bytes().number(1)))
                .isEqualTo(AvroReaderTest.row("A", null, "B", Map.of("i", 1L)));
    }
}
