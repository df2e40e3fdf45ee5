package io.thalweg.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.Decimal;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Symbols;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import java.math.BigInteger;
import java.util.List;
import org.junit.jupiter.api.Test;

class ParquetSchemasTest {
    private static final Struct EMPTY = new Struct(List.of());

    @Test
    void of_everyType_isPinned() {
        Struct point =
                new Struct(List.of(Field.required("x", FieldType.DOUBLE), Field.optional("y", FieldType.DOUBLE)));
        Struct schema = new Struct(List.of(
                Field.required("bool", FieldType.BOOL),
                Field.optional("int8", FieldType.INT8),
                Field.optional("int16", FieldType.INT16),
                Field.optional("int32", FieldType.INT32),
                Field.required("int64", FieldType.INT64),
                Field.optional("float", FieldType.FLOAT),
                Field.optional("double", FieldType.DOUBLE),
                Field.required("text", FieldType.TEXT),
                Field.optional("bytes", FieldType.BYTES),
                Field.optional("uuid", FieldType.UUID),
                Field.optional("decimal9", new Decimal(9, 2)),
                Field.required("decimal38", new Decimal(38, 0)),
                Field.optional("date", FieldType.DATE),
                Field.optional("time", FieldType.TIME),
                Field.required("timestamp", FieldType.TIMESTAMP),
                Field.optional("local", FieldType.LOCAL_TIMESTAMP),
                Field.optional("symbols", new Symbols(List.of("A", "B"))),
                Field.optional("struct", point),
                Field.required("list", new ListOf(FieldType.INT64, true)),
                Field.optional("lists", new ListOf(new ListOf(FieldType.TEXT, false), true)),
                Field.optional("structs", new ListOf(point, false)),
                Field.required("map", new MapOf(FieldType.TEXT, FieldType.INT64, true)),
                Field.optional("maps", new MapOf(FieldType.INT32, point, false))));

        assertThat(ParquetSchemas.of(schema).toString()).isEqualTo("""
                        message record {
                          required boolean bool;
                          optional int32 int8 (INTEGER(8,true));
                          optional int32 int16 (INTEGER(16,true));
                          optional int32 int32;
                          required int64 int64;
                          optional float float;
                          optional double double;
                          required binary text (STRING);
                          optional binary bytes;
                          optional fixed_len_byte_array(16) uuid (UUID);
                          optional fixed_len_byte_array(4) decimal9 (DECIMAL(9,2));
                          required fixed_len_byte_array(16) decimal38 (DECIMAL(38,0));
                          optional int32 date (DATE);
                          optional int64 time (TIME(MICROS,false));
                          required int64 timestamp (TIMESTAMP(MICROS,true));
                          optional int64 local (TIMESTAMP(MICROS,false));
                          optional binary symbols (STRING);
                          optional group struct {
                            required double x;
                            optional double y;
                          }
                          required group list (LIST) {
                            repeated group list {
                              required int64 element;
                            }
                          }
                          optional group lists (LIST) {
                            repeated group list {
                              required group element (LIST) {
                                repeated group list {
                                  optional binary element (STRING);
                                }
                              }
                            }
                          }
                          optional group structs (LIST) {
                            repeated group list {
                              optional group element {
                                required double x;
                                optional double y;
                              }
                            }
                          }
                          required group map (MAP) {
                            repeated group key_value {
                              required binary key (STRING);
                              required int64 value;
                            }
                          }
                          optional group maps (MAP) {
                            repeated group key_value {
                              required int32 key;
                              optional group value {
                                required double x;
                                optional double y;
                              }
                            }
                          }
                        }
                        """);
    }

    @Test
    void decimalBytes_everyPrecision_areTheFewestThatHoldIt() {
        for (int precision = 1; precision <= 38; precision++) {
            BigInteger least =
                    BigInteger.TEN.pow(precision).subtract(BigInteger.ONE).negate();
            assertThat(ParquetSchemas.decimalBytes(precision)).isEqualTo(least.toByteArray().length);
        }
    }

    @Test
    void of_noFields_isRefused() {
        assertThatThrownBy(() -> ParquetSchemas.of(EMPTY))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining("at least one column");
    }

    @Test
    void of_structWithoutFields_namesTheField() {
        assertRefused(Field.optional("empty", EMPTY), "'empty'");
    }

    @Test
    void of_nestedStructWithoutFields_namesThePath() {
        assertRefused(Field.optional("user", new Struct(List.of(Field.required("extras", EMPTY)))), "'user.extras'");
    }

    @Test
    void of_listOfStructsWithoutFields_namesItsField() {
        assertRefused(Field.optional("marks", new ListOf(EMPTY, true)), "'marks'");
    }

    @Test
    void of_mapOfStructsWithoutFields_namesItsField() {
        assertRefused(Field.optional("marks", new MapOf(FieldType.TEXT, EMPTY, true)), "'marks'");
    }

    private static void assertRefused(Field field, String path) {
        assertThatThrownBy(() -> ParquetSchemas.of(new Struct(List.of(field))))
                .isInstanceOf(SchemaException.class)
                .hasMessageStartingWith(path + " has a struct without fields");
    }
}
