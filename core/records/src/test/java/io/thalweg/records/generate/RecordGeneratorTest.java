package io.thalweg.records.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.thalweg.records.MessageRules;
import io.thalweg.records.schema.Field;
import io.thalweg.records.schema.FieldType;
import io.thalweg.records.schema.FieldType.ListOf;
import io.thalweg.records.schema.FieldType.MapOf;
import io.thalweg.records.schema.FieldType.Scalar;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.schema.Struct;
import io.thalweg.records.write.RandomSchemas;
import io.thalweg.records.write.Tree;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RecordGeneratorTest {
    private static final long SEED = 42;

    private static Struct one(FieldType type) {
        return new Struct(List.of(Field.required("v", type)));
    }

    private static GeneratorOptions options(FieldOptions ofV) {
        return GeneratorOptions.DEFAULT.withFields(Map.of("v", ofV));
    }

    private static List<@Nullable Object> record(Struct schema, RecordGenerator generator, long index) {
        Tree tree = new Tree(schema);
        generator.emit(index, tree);
        return tree.record();
    }

    /** Returns the values of field {@code v} of many records. */
    private static List<@Nullable Object> values(Struct schema, GeneratorOptions options, int count) {
        RecordGenerator generator = new RecordGenerator(schema, options, SEED);
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add(record(schema, generator, i).get(0));
        }
        return values;
    }

    private static List<@Nullable Object> values(FieldType type, FieldOptions options, int count) {
        return values(one(type), options(options), count);
    }

    private static Object text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void emit_anyOrder_isTheSameRecord(long seed) {
        Random random = new Random(seed);
        Struct schema = RandomSchemas.next(random, true);
        RecordGenerator generator = new RecordGenerator(schema, GeneratorOptions.DEFAULT, seed);
        List<Long> indices = new ArrayList<>(List.of(0L, 1L, 2L, 1_000_000_000_000L));
        Map<Long, Object> first = new HashMap<>();
        indices.forEach(index -> first.put(index, record(schema, generator, index)));
        Collections.shuffle(indices, random);
        RecordGenerator other = new RecordGenerator(schema, GeneratorOptions.DEFAULT, seed);
        indices.forEach(index -> assertThat(record(schema, other, index)).isEqualTo(first.get(index)));
    }

    @Test
    void emit_otherIndexOrSeed_isAnotherRecord() {
        Struct schema = one(FieldType.UUID);
        Set<Object> records = new HashSet<>();
        for (long seed = 0; seed < 10; seed++) {
            RecordGenerator generator = new RecordGenerator(schema, GeneratorOptions.DEFAULT, seed);
            for (long index = 0; index < 10; index++) {
                records.add(record(schema, generator, index));
            }
        }
        assertThat(records).hasSize(100);
    }

    @Test
    void emit_optionalField_isNullInItsShare() {
        Struct schema = new Struct(List.of(
                Field.optional("v", FieldType.INT32),
                Field.optional("w", FieldType.INT32),
                Field.required("x", FieldType.INT32)));
        GeneratorOptions options =
                GeneratorOptions.DEFAULT.withNulls(0.2).withFields(Map.of("w", FieldOptions.NONE.withNulls(0.7)));
        RecordGenerator generator = new RecordGenerator(schema, options, SEED);
        int[] nulls = new int[3];
        int count = 50_000;
        for (int i = 0; i < count; i++) {
            List<@Nullable Object> record = record(schema, generator, i);
            for (int f = 0; f < 3; f++) {
                nulls[f] += record.get(f) == null ? 1 : 0;
            }
        }
        assertThat(nulls[0] / (double) count).isCloseTo(0.2, within(0.01));
        assertThat(nulls[1] / (double) count).isCloseTo(0.7, within(0.01));
        assertThat(nulls[2]).isZero();
    }

    @Test
    void emit_distinct_hasSoManyValuesOfAnyType() {
        List<Scalar> types = List.of(
                FieldType.TEXT,
                FieldType.INT64,
                FieldType.INT16,
                FieldType.UUID,
                FieldType.BYTES,
                FieldType.DOUBLE,
                FieldType.DATE,
                FieldType.TIMESTAMP,
                new FieldType.Decimal(10, 2));
        for (Scalar type : types) {
            // 20,000 draws of 1,000 miss one with probability e^-20.
            assertThat(new HashSet<>(values(type, FieldOptions.distinct(1_000, 0), 20_000)))
                    .as("%s", type)
                    .hasSize(1_000);
        }
    }

    @Test
    void emit_zipf_fallsWithItsExponent() {
        Map<Object, Integer> counts = new HashMap<>();
        values(FieldType.TEXT, FieldOptions.distinct(1_000_000, 1.1), 100_000)
                .forEach(value -> counts.merge(String.valueOf(value) + value.hashCode(), 1, Integer::sum));
        List<Integer> sorted =
                counts.values().stream().sorted(Comparator.reverseOrder()).toList();
        // The slope between ranks 1 and 30 on logarithmic axes.
        assertThat(Math.log(sorted.get(0) / (double) sorted.get(29)) / Math.log(30))
                .isCloseTo(1.1, within(0.1));
    }

    @Test
    void emit_sameDistinctOfTwoFields_givesOtherTexts() {
        Struct schema = new Struct(List.of(Field.required("v", FieldType.TEXT), Field.required("w", FieldType.TEXT)));
        GeneratorOptions options = GeneratorOptions.DEFAULT.withFields(
                Map.of("v", FieldOptions.distinct(1, 0), "w", FieldOptions.distinct(1, 0)));
        List<@Nullable Object> record = record(schema, new RecordGenerator(schema, options, SEED), 0);
        assertThat(record.get(0)).isNotEqualTo(record.get(1));
    }

    @Test
    void emit_values_areTheListedOnes() {
        assertThat(values(FieldType.TEXT, FieldOptions.values("A", "é"), 100)).containsOnly(text("A"), text("é"));
        assertThat(values(FieldType.INT8, FieldOptions.values("-3", "7"), 100)).containsOnly(-3L, 7L);
        assertThat(values(FieldType.BOOL, FieldOptions.values("true"), 100)).containsOnly(true);
        assertThat(values(FieldType.DOUBLE, FieldOptions.values("0.5"), 10)).containsOnly(0.5);
        assertThat(values(FieldType.DATE, FieldOptions.values("1970-01-11"), 10))
                .containsOnly(10L);
        assertThat(values(FieldType.BYTES, FieldOptions.values("ff00"), 10))
                .containsOnly(ByteBuffer.wrap(new byte[] {-1, 0}));
        assertThat(values(new FieldType.Decimal(5, 2), FieldOptions.values("-0.05"), 10))
                .containsOnly(ByteBuffer.wrap(new byte[] {-5}));
        assertThat(values(new FieldType.Symbols(List.of("X", "Y")), FieldOptions.NONE, 100))
                .containsOnly(text("X"), text("Y"));
    }

    @Test
    void emit_range_containsAllValuesAndReachesItsEnds() {
        assertThat(values(FieldType.INT32, FieldOptions.range("-2", "2"), 1_000))
                .containsOnly(-2L, -1L, 0L, 1L, 2L);
        assertThat(values(
                        FieldType.TIMESTAMP,
                        FieldOptions.range("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000001Z"),
                        100))
                .containsOnly(0L, 1L);
        assertThat(values(FieldType.DOUBLE, FieldOptions.range("-1", "1"), 1_000))
                .allSatisfy(value -> assertThat((Double) value).isBetween(-1.0, 1.0));
        assertThat(values(FieldType.DOUBLE, FieldOptions.range("-1e300", "1e300"), 1_000))
                .allSatisfy(value -> assertThat((Double) value).isBetween(-1e300, 1e300));
        assertThat(values(FieldType.INT64, FieldOptions.range("" + Long.MIN_VALUE, "" + Long.MAX_VALUE), 100))
                .anySatisfy(value -> assertThat((Long) value).isNegative());
    }

    @Test
    void emit_defaults_fitTheirTypes() {
        assertThat(values(FieldType.INT8, FieldOptions.NONE, 5_000))
                .contains(-128L, 127L)
                .allSatisfy(value -> assertThat((Long) value).isBetween(-128L, 127L));
        assertThat(values(FieldType.TIME, FieldOptions.NONE, 1_000))
                .allSatisfy(value -> assertThat((Long) value).isBetween(0L, 86_399_999_999L));
        assertThat(values(FieldType.FLOAT, FieldOptions.NONE, 1_000))
                .allSatisfy(value ->
                        assertThat((double) (float) (double) (Double) value).isEqualTo(value));
        for (int precision = 1; precision <= 38; precision++) {
            BigInteger bound = BigInteger.TEN.pow(precision);
            for (Object value : values(new FieldType.Decimal(precision, 0), FieldOptions.NONE, 200)) {
                byte[] bytes = new byte[((ByteBuffer) value).remaining()];
                ((ByteBuffer) value).duplicate().get(bytes);
                BigInteger unscaled = new BigInteger(bytes);
                assertThat(unscaled.abs()).isLessThan(bound);
                assertThat(bytes).isEqualTo(unscaled.toByteArray());
            }
        }
    }

    @Test
    void emit_now_isTheClock() {
        Struct schema = new Struct(List.of(
                Field.required("at", FieldType.TIMESTAMP),
                Field.required("ms", FieldType.INT64),
                Field.required("day", FieldType.DATE),
                Field.required("time", FieldType.TIME)));
        FieldOptions now = FieldOptions.ofNow();
        RecordGenerator generator = new RecordGenerator(
                schema,
                GeneratorOptions.DEFAULT.withFields(Map.of("at", now, "ms", now, "day", now, "time", now)),
                SEED);
        generator.setNow(86_400_000_000L + 1_234_567);
        assertThat(record(schema, generator, 5)).containsExactly(86_401_234_567L, 86_401_234L, 1L, 1_234_567L);
    }

    @Test
    void emit_collections_haveSizesOfTheRange() {
        GeneratorOptions options = GeneratorOptions.DEFAULT.withCollections(2, 4);
        assertThat(values(one(new ListOf(FieldType.BOOL, true)), options, 200))
                .allSatisfy(value -> assertThat((List<?>) value).hasSizeBetween(2, 4))
                .anySatisfy(value -> assertThat((List<?>) value).hasSize(2))
                .anySatisfy(value -> assertThat((List<?>) value).hasSize(4));
    }

    @Test
    void emit_mapWithKeysOfAnyType_hasNoKeyTwice() {
        List<Scalar> keys = List.of(
                FieldType.TEXT,
                FieldType.BOOL,
                FieldType.INT8,
                FieldType.INT16,
                FieldType.INT32,
                FieldType.INT64,
                FieldType.FLOAT,
                FieldType.DOUBLE,
                FieldType.BYTES,
                FieldType.UUID,
                FieldType.DATE,
                FieldType.TIME,
                FieldType.TIMESTAMP,
                new FieldType.Decimal(2, 1),
                new FieldType.Symbols(List.of("A", "B", "C")));
        GeneratorOptions options = GeneratorOptions.DEFAULT.withCollections(0, 300);
        for (Scalar key : keys) {
            for (Object map : values(one(new MapOf(key, FieldType.BOOL, true)), options, 50)) {
                Set<Object> seen = new HashSet<>();
                for (Object entry : (List<?>) map) {
                    assertThat(seen.add(((List<?>) entry).get(0))).as("%s", key).isTrue();
                }
            }
        }
    }

    @Test
    void emit_union_hasOneValueOfEachKind() {
        Struct union = new Struct(List.of(
                Field.optional("a", FieldType.INT32),
                Field.optional("b", FieldType.TEXT),
                Field.optional("self", new FieldType.Recursive("Node"))));
        GeneratorOptions options =
                GeneratorOptions.DEFAULT.withNulls(0.5).withRules(MessageRules.ofUnions(Set.of("v")));
        Set<Integer> chosen = new HashSet<>();
        for (Object value : values(one(union), options, 100)) {
            List<?> fields = (List<?>) value;
            assertThat(fields).filteredOn(each -> each != null).hasSize(1);
            chosen.add(fields.get(0) != null ? 0 : 1);
        }
        assertThat(chosen).containsExactlyInAnyOrder(0, 1);
    }

    @Test
    void emit_typesWithinThemselves_areLeftOut() {
        FieldType self = new FieldType.Recursive("Node");
        Struct schema =
                new Struct(List.of(Field.optional("next", self), Field.required("children", new ListOf(self, true))));
        assertThat(record(schema, new RecordGenerator(schema, GeneratorOptions.DEFAULT, SEED), 0))
                .containsExactly(null, List.of());
    }

    private static void refused(FieldType type, FieldOptions options, String message) {
        assertThatThrownBy(() -> new RecordGenerator(one(type), options(options), SEED))
                .isInstanceOf(SchemaException.class)
                .hasMessageContaining(message);
    }

    @Test
    void constructor_optionThatDoesNotFit_namesTheField() {
        refused(FieldType.TEXT, FieldOptions.range("0", "1"), "option 'range' of 'v' is for numbers and times only");
        refused(FieldType.INT32, FieldOptions.ofNow(), "option 'now' of 'v' is for times");
        refused(FieldType.UUID, FieldOptions.length(1, 2), "option 'length' of 'v' is for text and bytes");
        refused(FieldType.BOOL, FieldOptions.distinct(2, 0), "option 'distinct' of 'v'");
        refused(FieldType.INT8, FieldOptions.values("128"), "'128' is not a value of 'v'");
        refused(FieldType.DATE, FieldOptions.values("soon"), "'soon' is not a value of 'v'");
        refused(FieldType.DOUBLE, FieldOptions.values("NaN"), "'NaN' is not a value of 'v'");
        refused(new FieldType.Decimal(3, 2), FieldOptions.values("10.00"), "'10.00' is not a value of 'v'");
        refused(FieldType.INT32, FieldOptions.range("5", "4"), "the range of 'v' must go up");
        refused(FieldType.INT8, FieldOptions.distinct(500, 0), "'v' must have at most 128 distinct values");
        refused(new FieldType.Symbols(List.of()), FieldOptions.NONE, "the schema lists no names for 'v'");
        assertThatThrownBy(() -> new RecordGenerator(
                        one(FieldType.TEXT), GeneratorOptions.DEFAULT.withFields(Map.of("w", FieldOptions.NONE)), SEED))
                .hasMessageContaining("[w], which the schema does not have; it has [v]");
        assertThatThrownBy(() -> new RecordGenerator(
                        one(FieldType.TEXT),
                        GeneratorOptions.DEFAULT.withRules(MessageRules.ofUnions(Set.of("v"))),
                        SEED))
                .hasMessageContaining("generate.unions has [v]");
    }

    @Test
    void constructor_valuesOutOfBounds_statesTheRule() {
        assertThatThrownBy(() -> FieldOptions.distinct(1, 11)).hasMessageContaining("zipf 0 to 10");
        assertThatThrownBy(() -> FieldOptions.NONE.withNulls(5)).hasMessageContaining("write 5% as 0.05");
        assertThatThrownBy(() -> new Between(3, 2)).hasMessageContaining("a range must go up");
        assertThatThrownBy(() -> new FieldOptions(3, 0, List.of("a"), null, null, false, null))
                .hasMessageContaining("exclude each other");
    }
}
