package io.thalweg.records.thrift;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.thalweg.records.schema.SchemaException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ThriftIdlTest {
    private static final String OTHER = "enum Color { RED = 1 }\nconst i32 N = 7\nstruct O { 1: i32 a }";

    private static final String SPICE = "{}()<>[]:;,='\"/*#-.1e";

    private static ThriftSchema parse(String idl) {
        Map<String, String> texts = Map.of("x.thrift", idl, "other.thrift", OTHER);
        return ThriftSchema.parse("x.thrift", texts::get, "S");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "struct S { string a }                             | 1: field 'a' of 'S' has no id; write 1: string a,",
                "struct S { 1: i32 a;@ map<i32,list<i64>> b }      | 2: field 'b' of 'S' has no id; write 2: map<i32, list<i64>> b,",
                "struct S { 0: i32 a }                             | 1: the id of a field must be 1 to 32767",
                "struct S { 40000: i32 a }                         | 1: the id of a field must be 1 to 32767",
                "struct S { 1: i32 a 1: i32 b }                    | 1: fields 'a' and 'b' of 'S' have the same id 1; write 2:",
                "struct S { 1: i32 a@ 2: i32 a }                   | 2: 'S' has field 'a' twice",
                "struct S { 1: i32 a                               | 1: 'S' is not closed; write }",
                "struct S { 1 i32 a }                              | 1: expected ':', found 'i32'; write 1:",
                "struct S { 1: list i32 a }                        | 1: expected '<', found 'i32'; write list<string>",
                "struct S { 1: map<i32> a }                        | 1: expected ',', found '>'; write map<string, i64>",
                "struct S { 1: i32 }                               | 1: expected the name of a field of 'S', found '}'",
                "struct S { 1: Nowhere a }                         | 1: 'Nowhere' is not defined; define it, or include",
                "struct S { 1: other.O a }                         | 1: 'other.O' is not defined",
                "include 'other.thrift'@struct S { 1: other.X a }  | 2: 'other.X' is not defined",
                "include 'away.thrift'@struct S { 1: i32 a }       | 1: there is no file away.thrift; put it next to x.thrift",
                "include '\u0000' struct S { 1: i32 a }           | 1: '\u0000' is not a path; write include",
                "const i32 C = 1 struct S { 1: C a }               | 1: 'C' is a const, not a type",
                "typedef T T struct S { 1: T a }                   | 1: typedef 'T' leads back to itself",
                "typedef A B typedef B A struct S { 1: A a }       | leads back to itself",
                "struct S { 1: i32 a = C } const i32 C = D const i32 D = C | 1: const 'C' leads back to itself",
                "struct S { 1: i32 a = nothing }                   | 1: 'nothing' is not a constant; write a value",
                "struct S { 1: i32 a = 'text' }                    | 1: the default of field 'a' is not of its type, i32",
                "struct S { 1: byte a = 128 }                      | 1: the default of field 'a' is not of its type, i8",
                "struct S { 1: i32 a = [] }                        | 1: the default of field 'a'",
                "struct S { 1: i32 a = 1.5 }                       | 1: the default of field 'a'",
                "struct S { 1: list<i32> a = 1 }                   | 1: the default of field 'a' is not of its type, list",
                "struct S { 1: uuid a = '1-2-3-4-5' }              | 1: the default of field 'a' is not of its type, uuid",
                "struct S { 1: i64 a = 9223372036854775808 }       | 1: 9223372036854775808 does not fit into 64 bits",
                "struct S { 1: i64 a = 9223372036854775807 (thalweg.type='timestamp_s') } | 1: the default of field 'a'",
                "struct S { 1: i32 a (thalweg.type = 'timestamp_ms') } | 1: thalweg.type \"timestamp_ms\" does not fit i32; remove it, or make the type i64",
                "struct S { 1: list<i64> a (thalweg.type='date') } | 1: thalweg.type \"date\" does not fit list; remove it, or make the type i32",
                "struct S { 1: i64 a (thalweg.type = 'moment') }   | 1: 'moment' is not a thalweg.type; write one of timestamp_s|timestamp_ms|",
                "struct S { 1: i64 a (thalweg.typ = 'date') }      | 1: unknown annotation 'thalweg.typ'; write thalweg.type",
                "enum E { A, B, A } struct S { 1: E a }            | 1: enum E has 'A' twice",
                "enum E { A = 4294967296 }                         | 1: the number of 'A' must fit into 32 bits",
                "enum E { A = x }                                  | 1: expected a whole number, found 'x'; write A = NUMBER",
                "struct S { 1: i32 a }@struct S { 1: i32 a }       | 2: 'S' is already defined in line 1; rename one",
                "strict S { 1: i32 a }                             | 1: unknown statement 'strict'; write struct, union",
                "{}                                                | 1: expected the name of a statement, such as struct, found '{'",
                "/* @ /* struct S { 1: i32 a }                     | 1: the comment is not closed; write */",
                "const string C = 'open@                           | 1: the text is not closed; write '",
                "const string C = 'a\\x'                           | 1: unknown escape \\x; write \\\\",
                "service X { void a()                              | 1: service 'X' is not closed",
                "service X                                         | 1: service 'X' is not closed",
                "const i32 C = ;                                   | 1: expected a value, found ';'",
                "const i32 C 1                                     | 1: expected '=', found '1'; write const i32 C = VALUE",
                "include other.thrift                              | 1: expected a text in quotes, found 'other.thrift'",
            })
    void parse_mistake_saysWhereAndWhatToWrite(String idl, String message) {
        assertThatThrownBy(() -> parse(idl.replace('@', '\n')))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("x.thrift:")
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "struct S{1:i32 a}",
                "struct Old { i32 a, string b 3: i32 c } exception E { string why } struct S { 1: i32 a }",
                "struct S {}",
                "\uFEFFstruct S { 1: i32 a }",
                "struct S { 1: i32 a, 2: i32 b; 3: i32 c }\r\n// the end",
                "struct S { 1: optional list < map < string , set < binary > > > a = [ ] }",
                "include 'other.thrift' struct S { 1: other.Color a = other.Color.RED 2: i32 b = other.N }",
                "enum E { A } struct S { 1: E a = A 2: E b = 0 3: E c = E.A 4: E d = 17 }",
                "const i32 C = D const i32 D = 3 struct S { 1: i32 a = C }",
                "struct S { 1: double a = 3 2: bool b = 0 3: i64 c = +5 4: double d = -.5 }",
                "struct S { 1: uuid a = '{00112233-4455-6677-8899-aabbccddeeff}' }",
                "typedef i64 (a = 'b', c) T (d) struct S { 1: T (e) a (f = \"g\"; h) } (i)",
                "service X { oneway void a(1: i32 b) } service Y extends X {} struct S { 1: i32 a }",
                "struct S { 1: T a } typedef U T union U { 1: S s }",
                "namespace java a.b namespace * c namespace php 'd' (e = 'f') struct S { 1: i32 a }"
            })
    void parse_anyLayout_isRead(String idl) {
        assertThatCode(() -> parse(idl)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"list<", "map<i32,", "["})
    void parse_nestedWithoutEnd_isRefused(String open) {
        String idl = open.equals("[") ? "const i32 C = " : "struct S { 1: ";
        assertThatThrownBy(() -> parse(idl + open.repeat(100_000)))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("nested more than 64 levels");
    }

    @Test
    void parse_file_keepsWhatIsWritten() {
        IdlFile file = ThriftIdl.parse("x.thrift", "include 'a/b.c.thrift'\n\nenum E { A = 3, B }");
        assertThat(file.includes().get(0).prefix()).isEqualTo("b.c");
        assertThat(file.definitions().get("E"))
                .isEqualTo(new IdlFile.EnumOf(
                        "E", List.of(new ThriftType.Symbol(3, "A"), new ThriftType.Symbol(4, "B")), 3));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void parse_damagedText_isReadOrRefused(long seed) {
        Random random = new Random(seed);
        Map<String, String> texts = new HashMap<>(new RandomIdl(random).texts());
        for (String file : List.copyOf(texts.keySet())) {
            String text = texts.getOrDefault(file, "");
            for (int i = 0; i < 100; i++) {
                texts.put(file, damaged(text, random));
                Throwable thrown = catchThrowable(() -> ThriftSchema.parse("main.thrift", texts::get, "Root"));
                assertThat(thrown == null || thrown instanceof SchemaException)
                        .as("%s of %s", thrown, texts)
                        .isTrue();
            }
            texts.put(file, text);
        }
    }

    private static String damaged(String text, Random random) {
        int from = random.nextInt(text.length());
        int to = Math.min(text.length(), from + random.nextInt(10));
        String inserted = random.nextBoolean()
                ? ""
                : SPICE.substring(random.nextInt(SPICE.length())).substring(0, 1);
        return text.substring(0, from) + inserted + text.substring(to);
    }
}
