package io.thalweg.server.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.thalweg.model.row.Finality;
import io.thalweg.model.row.ReadStatus;
import io.thalweg.server.DecodedColumns;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ColumnAnswersTest {
    private static final List<@Nullable Object> NULLS = Arrays.asList(new Object[60]);

    private static ReadAnswer of(@Nullable Object... values) {
        List<ReadAnswer.Row> rows = new ArrayList<>();
        for (Object value : values) {
            rows.add(new ReadAnswer.Row(
                    Map.of("user", "u1"),
                    value == null ? ReadStatus.NOT_FOUND : ReadStatus.PRESENT,
                    value == null ? null : Finality.PARTIAL,
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    value == null ? null : Arrays.asList(value)));
        }
        return new ReadAnswer("orders", OptionalLong.empty(), List.of("f"), rows);
    }

    private static DecodedColumns columns(ReadAnswer answer) throws IOException {
        return DecodedColumns.of(ColumnAnswers.answer(answer));
    }

    @Test
    void answer_valuesOfOneKind_haveItsType() throws IOException {
        assertThat(columns(of(1.5, null)).types()).containsEntry("f", "f64");
        assertThat(columns(of(7L, null)).types()).containsEntry("f", "i64");
        assertThat(columns(of("Zürich", null)).types()).containsEntry("f", "text");
        assertThat(columns(of(List.of(0.5), null)).types()).containsEntry("f", "f64[]");
        assertThat(columns(of((Object) null)).types()).containsEntry("f", "f64");
    }

    @Test
    void answer_integerThatIsTheMarkOfNone_isText() throws IOException {
        assertThat(columns(of(Long.MIN_VALUE, 1L, null)).columns())
                .containsEntry("f", Arrays.asList("-9223372036854775808", "1", null));
    }

    @Test
    void answer_keyWithoutRow_hasItsStatusAndNoTimes() throws IOException {
        DecodedColumns decoded = columns(of(2.0, null));

        assertThat(decoded.columns())
                .containsEntry("status", List.of(1, 3))
                .containsEntry("finality", List.of(1, 0))
                .containsEntry("window_end", List.of(Long.MIN_VALUE, Long.MIN_VALUE))
                .containsEntry("age_ms", List.of(Long.MIN_VALUE, Long.MIN_VALUE));
        assertThat(decoded.head().get("view").asText()).isEqualTo("orders");
        assertThat(decoded.head().get("watermark").isNull()).isTrue();
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void answer_anyAnswer_hasTheValuesOfItsRows(long seed) throws IOException {
        Random random = new Random(seed);
        for (int i = 0; i < 50; i++) {
            ReadAnswer answer = GrpcRowsTest.answer(random);
            DecodedColumns decoded = columns(answer);
            assertThat(decoded.columns().keySet())
                    .containsExactlyElementsOf(
                            IntStream.range(-4, answer.features().size())
                                    .mapToObj(f -> f >= 0
                                            ? answer.features().get(f)
                                            : List.of("status", "finality", "window_end", "age_ms")
                                                    .get(f + 4))
                                    .toList());
            for (int row = 0; row < answer.rows().size(); row++) {
                check(answer, row, decoded);
            }
        }
    }

    private static void check(ReadAnswer answer, int at, DecodedColumns decoded) {
        ReadAnswer.Row row = answer.rows().get(at);
        assertThat(decoded.columns().get("window_end").get(at))
                .isEqualTo(row.windowEndMs().orElse(Long.MIN_VALUE));
        assertThat(decoded.columns().get("age_ms").get(at))
                .isEqualTo(row.ageMs().orElse(Long.MIN_VALUE));
        List<@Nullable Object> values = row.values() == null ? NULLS : row.values();
        for (int f = 0; f < answer.features().size(); f++) {
            String name = answer.features().get(f);
            Object value = values.get(f);
            Object expected = switch (decoded.types().get(name)) {
                case "f64" -> value == null ? (Double) Double.NaN : value;
                case "i64" -> value == null ? (Long) Long.MIN_VALUE : value;
                case "f64[]" -> value;
                default -> value == null ? null : value.toString();
            };
            assertThat(decoded.columns().get(name).get(at)).isEqualTo(expected);
        }
    }
}
