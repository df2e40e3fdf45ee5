package io.thalweg.records.avro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.BadRecordException;
import io.thalweg.records.Limits;
import io.thalweg.records.RecordFault;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Translation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AvroReaderTest {
    private static final Limits LIMITS = new Limits(1 << 20, 1600, 100, 5);
    private static final String TREE = """
            {"type": "record", "name": "Tree", "fields": [
              {"name": "id", "type": "int"},
              {"name": "next", "type": ["null", "Tree"]}]}""";

    /** Returns a record with the field "v" of a type, and the field "last". */
    private static AvroSchema schema(String type) {
        return AvroSchema.parse("""
                {"type": "record", "name": "R", "fields": [
                  {"name": "v", "type": %s}, {"name": "last", "type": "boolean"}]}""".formatted(type));
    }

    private static Map<String, @Nullable Object> read(AvroSchema schema, Selection selection, AvroBytes message) {
        Translation translation = Translation.of(schema.struct(), selection);
        NaiveRows rows = new NaiveRows(translation.target());
        byte[] bytes = message.toBytes();
        schema.reader(translation, LIMITS).read(bytes, 0, bytes.length, rows);
        return rows.take();
    }

    /** Returns the value of "v", which only "last" follows. */
    static @Nullable Object value(String type, AvroBytes value) {
        Map<String, @Nullable Object> row = read(schema(type), Selection.ALL, value.raw(1));
        assertThat(row.get("last")).isEqualTo(true);
        return row.get("v");
    }

    private static Selection column(String... path) {
        return new Selection(List.of(new Selection.Column("c", List.of(path))));
    }

    static void assertFault(RecordFault fault, String type, AvroBytes value) {
        assertThatThrownBy(() -> value(type, value))
                .isInstanceOfSatisfying(
                        BadRecordException.class, e -> assertThat(e.fault()).isEqualTo(fault));
    }

    /** Checks both reading and skipping the value. */
    static void assertUndecodable(String type, AvroBytes value) {
        assertFault(RecordFault.UNDECODABLE, type, value);
        assertThatThrownBy(() -> read(schema(type), column("last"), value))
                .isInstanceOfSatisfying(
                        BadRecordException.class, e -> assertThat(e.fault()).isEqualTo(RecordFault.UNDECODABLE));
    }

    static AvroBytes bytes() {
        return new AvroBytes();
    }

    @Test
    void read_noBytes_isEmpty() {
        assertThatThrownBy(() -> read(schema("\"int\""), Selection.ALL, bytes()))
                .isInstanceOfSatisfying(
                        BadRecordException.class, e -> assertThat(e.fault()).isEqualTo(RecordFault.EMPTY));
    }

    @Test
    void read_trailingByte_isUndecodable() {
        assertThatThrownBy(() ->
                        read(schema("\"int\""), Selection.ALL, bytes().number(7).raw(1, 0)))
                .isInstanceOf(BadRecordException.class)
                .hasMessageContaining("1 bytes follow the record, which ends after byte 2");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 2, 1L << 32, Long.MAX_VALUE})
    void read_unionIndexThatIsNotThere_isUndecodable(long index) {
        assertUndecodable("[\"null\", \"int\"]", bytes().number(index).number(5));
    }

    @ParameterizedTest
    @ValueSource(longs = {4, 2_000_000_000, Long.MAX_VALUE, Long.MIN_VALUE})
    void read_countThatDoesNotFit_isUndecodableBeforeElementsAreReported(long count) {
        AvroBytes block = bytes().number(count).raw(new byte[8]);
        assertUndecodable("{\"type\": \"array\", \"items\": \"float\"}", block);
        assertUndecodable("{\"type\": \"map\", \"values\": \"float\"}", block);
    }

    @Test
    void read_elementsOfTheFewestBytes_fit() {
        AvroBytes nulls = bytes().number(6).raw(0, 0, 0, 0, 0, 0, 0);
        assertThat((List<?>) value("{\"type\": \"array\", \"items\": [\"null\", \"double\"]}", nulls))
                .hasSize(6);
        AvroBytes entries = bytes().number(6).raw(new byte[12]).number(0);
        assertThat(value("{\"type\": \"map\", \"values\": \"int\"}", entries)).isEqualTo(Map.of("", 0L));
        AvroBytes floats = bytes().number(2).raw(new byte[8]).number(0);
        assertThat(value("{\"type\": \"array\", \"items\": \"float\"}", floats)).isEqualTo(List.of(0.0, 0.0));
    }

    @Test
    void read_elementsWithoutBytes_areBoundedPerMessage() {
        String nulls = "{\"type\": \"array\", \"items\": \"null\"}";
        assertThat((List<?>) value(nulls, bytes().number(60).number(40).number(0)))
                .hasSize(100);
        assertUndecodable(nulls, bytes().number(60).number(41).number(0));
        assertUndecodable(nulls, bytes().number(Long.MAX_VALUE).number(0));
        assertUndecodable(
                "{\"type\": \"array\", \"items\": {\"type\": \"record\", \"name\": \"E\", \"fields\": []}}",
                bytes().number(101).number(0));
    }

    @Test
    void read_elementsWithoutBytesSelectedTwice_countOnce() {
        AvroSchema schema = schema("{\"type\": \"array\", \"items\": \"null\"}");
        Selection twice = new Selection(
                List.of(new Selection.Column("a", List.of("v")), new Selection.Column("b", List.of("v"))));
        assertThat((List<?>)
                        read(schema, twice, bytes().number(60).number(0).raw(1)).get("b"))
                .hasSize(60);
    }

    @Test
    void read_blockWithItsSize_mustHaveThatSize() {
        String ints = "{\"type\": \"array\", \"items\": \"int\"}";
        assertThat(value(ints, bytes().number(-2).number(2).number(1).number(2).number(0)))
                .isEqualTo(List.of(1L, 2L));
        assertFault(
                RecordFault.UNDECODABLE,
                ints,
                bytes().number(-2).number(3).number(1).number(2).number(0));
        assertUndecodable(
                ints, bytes().number(-2).number(-2).number(1).number(2).number(0));
        assertUndecodable(ints, bytes().number(-1).number(1 << 30).number(1).number(0));
    }

    @Test
    void read_skippedBlockWithItsSize_isNotLookedInto() {
        AvroSchema schema = schema("{\"type\": \"array\", \"items\": \"string\"}");
        AvroBytes message =
                bytes().number(-1).number(3).raw(99, 99, 99).number(0).raw(1);
        assertThat(read(schema, column("last"), message)).isEqualTo(Map.of("c", true));
    }

    @Test
    void read_skippedFields_leaveTheOthersInPlace() {
        AvroSchema schema = AvroSchema.parse("""
                {"type": "record", "name": "R", "fields": [
                  {"name": "a", "type": "double"}, {"name": "b", "type": {"type": "fixed", "name": "F", "size": 3}},
                  {"name": "c", "type": "int"}, {"name": "d", "type": "long"},
                  {"name": "e", "type": {"type": "enum", "name": "E", "symbols": ["A"]}},
                  {"name": "f", "type": {"type": "record", "name": "S", "fields": [{"name": "x", "type": "string"}, {"name": "y", "type": "float"}]}},
                  {"name": "g", "type": {"type": "map", "values": ["null", "string"]}},
                  {"name": "h", "type": {"type": "array", "items": "float"}},
                  {"name": "z", "type": "string"}]}""");
        AvroBytes message = bytes().raw(new byte[11])
                .number(1 << 30)
                .number(Long.MIN_VALUE)
                .number(0)
                .text("x")
                .raw(new byte[4])
                .number(2)
                .text("k")
                .number(0)
                .text("l")
                .number(1)
                .text("v")
                .number(0)
                .number(2)
                .raw(new byte[8])
                .number(0)
                .text("found");
        assertThat(read(schema, column("z"), message)).isEqualTo(Map.of("c", "found"));
    }

    @Test
    void read_recursiveFieldSkipped_isBoundedInDepth() {
        AvroSchema tree = AvroSchema.parse(TREE);
        assertThat(read(tree, column("id"), levels(5))).isEqualTo(Map.of("c", 1L));
        assertThatThrownBy(() -> read(tree, column("id"), levels(6)))
                .isInstanceOfSatisfying(
                        BadRecordException.class, e -> assertThat(e.fault()).isEqualTo(RecordFault.UNDECODABLE))
                .hasMessageContaining("limits.depth");
        assertThatThrownBy(() -> read(tree, column("id"), levels(10_000))).isInstanceOf(BadRecordException.class);
    }

    @Test
    void read_sizesBeyondAnyArray_areNotShownAsNumbersThatOverflow() {
        String ints = "{\"type\": \"array\", \"items\": \"int\"}";

        assertThatThrownBy(() -> value("\"string\"", bytes().number(1L << 31)))
                .hasMessageContaining("a length must be between 0 and the ")
                .hasMessageEndingWith("bytes left, was more than 2147483647");
        assertThatThrownBy(() -> value("\"string\"", bytes().number(Long.MIN_VALUE)))
                .hasMessageEndingWith("bytes left, was negative");
        assertThatThrownBy(() -> value(ints, bytes().number(Long.MAX_VALUE)))
                .hasMessageContaining("a block of more than 2147483647 elements");
        assertThatThrownBy(() -> value(ints, bytes().number(Long.MIN_VALUE).number(0)))
                .hasMessageContaining("a block of more than 2147483647 elements");
    }

    private static AvroBytes levels(int count) {
        AvroBytes message = bytes().number(1);
        for (int i = 1; i < count; i++) {
            message.number(1).number(1);
        }
        return message.number(0);
    }

    @Test
    void read_recordThatContainsItselfWithoutEnd_isBoundedInDepth() {
        AvroSchema endless = AvroSchema.parse("""
                {"type": "record", "name": "E", "fields": [
                  {"name": "id", "type": "int"}, {"name": "next", "type": "E"}]}""");
        assertThatThrownBy(() -> read(endless, column("id"), bytes().number(1).raw(new byte[100])))
                .isInstanceOf(BadRecordException.class)
                .hasMessageContaining("limits.depth");
    }

    @Test
    void read_listsWithinLists_countAsLevels() {
        String lists = "{\"type\": \"array\", \"items\": ".repeat(4) + "\"int\"" + "}".repeat(4);
        AvroBytes four =
                bytes().number(1).number(1).number(1).number(1).number(9).raw(0, 0, 0, 0);
        assertThat(value(lists, four)).isEqualTo(List.of(List.of(List.of(List.of(9L)))));
        String five = "{\"type\": \"array\", \"items\": " + lists + "}";
        assertUndecodable(
                five,
                bytes().number(1)
                        .number(1)
                        .number(1)
                        .number(1)
                        .number(1)
                        .number(9)
                        .raw(0, 0, 0, 0, 0));
    }

    @Test
    void read_unionOfSeveralTypes_setsOneBranch() {
        String union = "[\"string\", \"null\", \"long\"]";
        assertThat(value(union, bytes().number(2).number(8))).isEqualTo(row("string", null, "long", 8L));
        assertThat(value(union, bytes().number(0).text("x"))).isEqualTo(row("string", "x", "long", null));
        assertThat(value(union, bytes().number(1))).isNull();
    }

    @Test
    void read_partOfUnion_isAbsentInOtherBranches() {
        AvroSchema schema = schema("[\"string\", \"null\", \"long\"]");
        assertThat(read(schema, column("v", "long"), bytes().number(2).number(8).raw(1)))
                .isEqualTo(row("c", 8L));
        assertThat(read(schema, column("v", "long"), bytes().number(0).text("x").raw(1)))
                .isEqualTo(row("c", null));
        assertThat(read(schema, column("v", "long"), bytes().number(1).raw(1))).isEqualTo(row("c", null));
    }

    @Test
    void read_fieldSelectedTwiceAndInParts_isReportedForEach() {
        AvroSchema schema = schema("""
                ["null", {"type": "record", "name": "S", "fields": [{"name": "x", "type": "string"}, {"name": "y", "type": "int"}]}]""");
        Selection selection = new Selection(List.of(
                new Selection.Column("whole", List.of("v")),
                new Selection.Column("x", List.of("v", "x")),
                new Selection.Column("again", List.of("v")),
                new Selection.Column("x2", List.of("v", "x"))));
        Map<String, @Nullable Object> whole = row("x", "a", "y", 4L);
        Map<String, @Nullable Object> expected = row("whole", whole, "x", "a");
        expected.putAll(row("again", whole, "x2", "a"));
        assertThat(read(schema, selection, bytes().number(1).text("a").number(4).raw(1)))
                .isEqualTo(expected);
        expected.replaceAll((name, value) -> null);
        assertThat(read(schema, selection, bytes().number(0).raw(1))).isEqualTo(expected);
    }

    @Test
    void readOne_recordsInARow_returnsWhereEachEnds() {
        AvroSchema schema = schema("\"string\"");
        Translation translation = Translation.of(schema.struct(), Selection.ALL);
        NaiveRows rows = new NaiveRows(translation.target());
        AvroReader reader = schema.reader(translation, LIMITS);
        byte[] bytes = bytes().raw(9).text("a").raw(1).text("bc").raw(0).toBytes();
        int second = reader.readOne(bytes, 1, bytes.length, rows);
        assertThat(second).isEqualTo(4);
        assertThat(rows.take()).isEqualTo(Map.of("v", "a", "last", true));
        assertThat(reader.readOne(bytes, second, bytes.length, rows)).isEqualTo(bytes.length);
        assertThat(rows.take()).isEqualTo(Map.of("v", "bc", "last", false));
    }

    @Test
    void read_afterBadMessage_startsAfresh() {
        AvroSchema tree = AvroSchema.parse(TREE);
        Translation translation = Translation.of(tree.struct(), column("id"));
        AvroReader reader = tree.reader(translation, LIMITS);
        byte[] deep = levels(20).toBytes();
        byte[] good = levels(5).toBytes();
        NaiveRows rows = new NaiveRows(translation.target());
        assertThatThrownBy(() -> reader.read(deep, 0, deep.length, rows)).isInstanceOf(BadRecordException.class);
        rows.reset();
        reader.read(good, 0, good.length, rows);
        assertThat(rows.take()).isEqualTo(Map.of("c", 1L));
    }

    static Map<String, @Nullable Object> row(
            String name, @Nullable Object value, String name2, @Nullable Object value2) {
        Map<String, @Nullable Object> row = row(name, value);
        row.put(name2, value2);
        return row;
    }

    static Map<String, @Nullable Object> row(String name, @Nullable Object value) {
        Map<String, @Nullable Object> row = new HashMap<>();
        row.put(name, value);
        return row;
    }
}
