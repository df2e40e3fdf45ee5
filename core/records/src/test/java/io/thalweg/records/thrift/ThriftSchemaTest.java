package io.thalweg.records.thrift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.Limits;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Recursive;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.translate.Selection;
import io.thalweg.records.translate.Selection.Column;
import io.thalweg.records.translate.Translation;
import io.thalweg.testing.Await;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ThriftSchemaTest {
    private static Path file(String name) {
        try {
            return Path.of(Objects.requireNonNull(ThriftSchemaTest.class.getResource("/thrift/" + name))
                    .toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    private static Struct parse(String idl) {
        return ThriftSchema.parse("x.thrift", name -> name.equals("x.thrift") ? idl : null, null)
                .struct();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Field field(String name, FieldType type, @Nullable Object absent) {
        return new Field(name, type, false, absent);
    }

    private static ListOf list(FieldType element) {
        return new ListOf(element, true);
    }

    @Test
    void struct_ofRides_hasTheNeutralTypes() {
        FieldType.Symbols status =
                new FieldType.Symbols(List.of("REQUESTED", "ACCEPTED", "DRIVING", "DONE", "CANCELLED"));
        FieldType.Symbols currency = new FieldType.Symbols(List.of("EUR", "USD", "JPY"));
        Struct point = new Struct(List.of(
                Field.required("lat", FieldType.DOUBLE),
                Field.required("lon", FieldType.DOUBLE),
                Field.optional("height_m", FieldType.DOUBLE)));
        Struct rider = new Struct(List.of(
                Field.required("id", FieldType.TEXT),
                Field.optional("device", FieldType.UUID),
                Field.optional("born", FieldType.DATE),
                field("tags", list(FieldType.TEXT), List.of())));
        Struct amount =
                new Struct(List.of(Field.required("units", FieldType.INT64), Field.required("currency", currency)));
        Struct card = new Struct(
                List.of(Field.required("last_digits", FieldType.TEXT), Field.optional("network", FieldType.TEXT)));
        Struct payment = new Struct(List.of(
                Field.optional("card", card),
                Field.optional("voucher", FieldType.TEXT),
                Field.optional("cash", FieldType.BOOL)));
        Struct stop = new Struct(List.of(
                Field.required("at", point),
                Field.optional("arrived", FieldType.TIMESTAMP),
                Field.optional("approach", list(point))));
        Struct visit = new Struct(List.of(Field.required("key", point), Field.required("value", FieldType.INT32)));
        MapOf sets = new MapOf(FieldType.TEXT, list(FieldType.INT64), true);
        assertThat(ThriftSchema.of(file("rides.thrift"), "RideEvent").struct())
                .isEqualTo(new Struct(List.of(
                        Field.required("id", FieldType.UUID),
                        Field.required("status", status),
                        Field.required("at", FieldType.TIMESTAMP),
                        Field.optional("accepted", FieldType.TIMESTAMP),
                        Field.optional("rider", rider),
                        Field.optional("stops", list(stop)),
                        field("fees", new MapOf(FieldType.TEXT, amount, true), List.of()),
                        Field.optional("payment", payment),
                        field("seats", FieldType.INT32, 4L),
                        field("shared", FieldType.BOOL, true),
                        field("surge", FieldType.DOUBLE, 1.0),
                        field("channel", FieldType.TEXT, utf8("app")),
                        field("previous", status, utf8("REQUESTED")),
                        field("currency", currency, utf8("EUR")),
                        field("wait_minutes", FieldType.INT16, 5L),
                        Field.optional("rating", FieldType.INT8),
                        field("retries", FieldType.INT8, -1L),
                        Field.optional("visits", list(visit)),
                        Field.optional("history", new MapOf(status, list(sets), true)),
                        Field.optional("pings", list(FieldType.TIMESTAMP)),
                        Field.optional("raw", FieldType.BYTES))));
    }

    @Test
    void struct_ofALegacyFile_hasItsFieldsAndDefaults() {
        MapOf counts = new MapOf(FieldType.TEXT, FieldType.INT64, true);
        Recursive itself = new Recursive("Legacy");
        assertThat(ThriftSchema.of(file("legacy.thrift"), null).struct())
                .isEqualTo(new Struct(List.of(
                        Field.optional("lines", FieldType.TEXT),
                        field("counts", counts, List.of()),
                        Field.optional("numbers", list(FieldType.INT32)),
                        Field.optional("parent", itself),
                        field("greeting", FieldType.TEXT, utf8("say \"hi\"\n")),
                        field("big", FieldType.INT64, Long.MIN_VALUE),
                        field("ten", FieldType.INT64, 10L),
                        Field.optional("negative_id", FieldType.BOOL),
                        field("path", FieldType.TEXT, utf8("C:\\temp")),
                        Field.optional(
                                "nested",
                                new MapOf(FieldType.TEXT, list(new MapOf(FieldType.INT32, itself, true)), true)))));
    }

    @Test
    void struct_ofTypesThatContainEachOther_expandsEachOnceOnAPath() {
        Struct query = ThriftSchema.of(file("tree.thrift"), "Query").struct();
        Struct comment = (Struct) type(query, "comment");
        assertThat(type(comment, "reply")).isEqualTo(new Recursive("Comment"));
        Struct filter = (Struct) type(query, "filter");
        Struct branch = (Struct) type(filter, "branch");
        assertThat(type(branch, "condition")).isEqualTo(new Recursive("Expression"));
        assertThat(type(branch, "otherwise")).isEqualTo(new Recursive("Branch"));
        assertThat(type((Struct) type(branch, "then"), "function")).isEqualTo(FieldType.TEXT);
        assertThat(Translation.of(
                                query,
                                new Selection(
                                        List.of(new Column("n", List.of("filter", "branch", "then", "function")))))
                        .target()
                        .names())
                .containsExactly("n");
        assertThatThrownBy(() -> Translation.of(query, Selection.ALL)).isInstanceOf(SchemaException.class);
    }

    private static FieldType type(Struct struct, String field) {
        return struct.fields().get(struct.indexOf(field)).type();
    }

    @Test
    void struct_ofManyTypesThatContainEachOther_staysSmall() {
        StringBuilder idl = new StringBuilder("struct Root { 1: optional N0 node }\n");
        for (int i = 0; i < 30; i++) {
            idl.append("struct N").append(i).append(" { 100: i32 leaf\n");
            for (int j = 0; j < 30; j++) {
                idl.append(j + 1)
                        .append(": optional N")
                        .append(j)
                        .append(" n")
                        .append(j)
                        .append('\n');
            }
            idl.append("}\n");
        }
        ThriftSchema schema = Assertions.assertTimeoutPreemptively(
                Await.PATIENCE,
                () -> ThriftSchema.parse("x.thrift", name -> name.equals("x.thrift") ? idl.toString() : null, "Root"));
        assertThat(schema.struct().slots()).isBetween(1_000, 1_000_000);
        Selection leaves = new Selection(
                List.of(new Column("a", List.of("node", "leaf")), new Column("b", List.of("node", "n29", "leaf"))));
        assertThat(Translation.of(schema.struct(), leaves).target().names()).containsExactly("a", "b");
    }

    @Test
    void of_severalStructsAndNoType_listsThem() {
        assertThatThrownBy(() -> ThriftSchema.of(file("rides.thrift"), null))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("write 'type' with one of Rider, Stop, RideEvent");
        assertThatThrownBy(() -> ThriftSchema.of(file("rides.thrift"), "Ride"))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("'Ride' is not a struct of")
                .hasMessageContaining("one of Rider, Stop, RideEvent");
    }

    @Test
    void of_typesOfOtherKindsAndFiles_findsThem() {
        Path rides = file("rides.thrift");
        assertThat(ThriftSchema.of(rides, "RideRefused").struct().names()).containsExactly("reason", "status");
        assertThat(ThriftSchema.of(rides, "Payment").struct().names()).containsExactly("card", "voucher", "cash");
        assertThat(ThriftSchema.of(rides, "money.Amount").struct().names()).containsExactly("units", "currency");
        assertThat(parse("typedef X Y\nstruct X { 1: i32 a }").names()).containsExactly("a");
    }

    @Test
    void of_fileThatDoesNotExist_saysSo() {
        assertThatThrownBy(() -> ThriftSchema.of(Path.of("nowhere.thrift"), null))
                .isInstanceOf(SchemaException.class)
                .hasMessage("there is no file nowhere.thrift");
    }

    @Test
    void of_includesOfIncludesAndInCircles_resolvesEachNextToItsFile(@TempDir Path folder) throws IOException {
        Files.createDirectories(folder.resolve("a/b"));
        Files.writeString(folder.resolve("main.thrift"), "include \"a/one.thrift\"\nstruct M { 1: one.O o }");
        Files.writeString(
                folder.resolve("a/one.thrift"),
                "include 'b/two.thrift'\ninclude 'main.thrift'\nstruct O { 1: two.T t }");
        Files.writeString(
                folder.resolve("a/b/two.thrift"), "include '../one.thrift'\nstruct T { 1: optional one.O o 2: i32 n }");
        Struct inner =
                new Struct(List.of(Field.optional("o", new Recursive("O")), Field.optional("n", FieldType.INT32)));
        assertThat(ThriftSchema.of(folder.resolve("main.thrift"), null).struct())
                .isEqualTo(new Struct(List.of(Field.optional("o", new Struct(List.of(Field.optional("t", inner)))))));
    }

    @Test
    void of_includesOfTheSameName_areTriedInTurn() {
        Map<String, String> texts = Map.of(
                "x.thrift", "include 'a/t.thrift' include 'b/t.thrift' struct X { 1: t.A a 2: t.B b }",
                "a/t.thrift", "typedef i32 A",
                "b/t.thrift", "typedef i64 B");
        assertThat(ThriftSchema.parse("x.thrift", texts::get, null).struct())
                .isEqualTo(new Struct(
                        List.of(Field.optional("a", FieldType.INT32), Field.optional("b", FieldType.INT64))));
    }

    @Test
    void of_commentsInAnotherEncoding_areRead(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("x.thrift");
        Files.write(file, "// Stra\u00DFe\nstruct X { 1: i32 a }".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(ThriftSchema.of(file, null).struct().names()).containsExactly("a");
    }

    @Test
    void struct_requiredFieldsAndDefaultsOfUnions_doNotCount() {
        Struct struct = parse("union U { 1: required i32 a; 2: i32 b = 1 }\n"
                + "struct S { 1: U u = {\"b\": 1}; 2: required i32 c = 2 }");
        Struct union = new Struct(List.of(Field.optional("a", FieldType.INT32), Field.optional("b", FieldType.INT32)));
        assertThat(struct)
                .isEqualTo(new Struct(List.of(Field.optional("u", union), Field.required("c", FieldType.INT32))));
    }

    @Test
    void struct_meaningOnATypedef_countsUnlessTheFieldHasItsOwn() {
        Struct struct = parse("""
                typedef i64 Time (thalweg.type = 'timestamp_s')
                typedef Time Later
                struct S {
                  1: Later a
                  2: Later b (thalweg.type = 'timestamp_us')
                  3: Time c = 2
                  4: Later d = 3 (thalweg.type = 'timestamp_ms')
                }
                """);
        assertThat(struct)
                .isEqualTo(new Struct(List.of(
                        Field.optional("a", FieldType.TIMESTAMP),
                        Field.optional("b", FieldType.TIMESTAMP),
                        field("c", FieldType.TIMESTAMP, 2_000_000L),
                        field("d", FieldType.TIMESTAMP, 3_000L))));
    }

    @Test
    void serialize_schema_readsAsBefore() throws IOException, ClassNotFoundException {
        ThriftSchema schema = ThriftSchema.of(file("shared/geo.thrift"), "Point");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(schema);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            ThriftSchema copy = (ThriftSchema) in.readObject();
            Translation translation = Translation.of(copy.struct(), Selection.ALL);
            NaiveRows rows = new NaiveRows(translation.target());
            byte[] message = HexFormat.of().parseHex("04000140000000000000000400024008000000000000" + "00");
            copy.reader(Protocol.BINARY, translation, Limits.DEFAULT).read(message, 0, message.length, rows);
            assertThat(rows.finish()).containsAllEntriesOf(Map.of("lat", 2.0, "lon", 3.0));
        }
    }
}
