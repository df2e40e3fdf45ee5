package io.thalweg.server.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import io.thalweg.api.v1.FeatureColumn;
import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.api.v1.RowColumns;
import io.thalweg.server.DecodedColumns;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares with the columns over HTTP, which have a reader of their own. */
class GrpcColumnsTest {
    private static List<@Nullable Object> values(FeatureColumn column) {
        List<@Nullable Object> values = new ArrayList<>();
        switch (column.getValuesCase()) {
            case DOUBLES -> values.addAll(column.getDoubles().getValuesList());
            case INT64S -> values.addAll(column.getInt64S().getValuesList());
            case TEXTS -> {
                int at = 0;
                for (int length : column.getTexts().getLengthsList()) {
                    int end = at + Math.max(0, length);
                    values.add(
                            length < 0
                                    ? null
                                    : column.getTexts()
                                            .getUtf8()
                                            .substring(at, end)
                                            .toStringUtf8());
                    at = end;
                }
            }
            case DOUBLE_LISTS -> {
                int at = 0;
                for (int length : column.getDoubleLists().getLengthsList()) {
                    int end = at + Math.max(0, length);
                    values.add(
                            length < 0
                                    ? null
                                    : column.getDoubleLists().getElementsList().subList(at, end));
                    at = end;
                }
            }
            case VALUES_NOT_SET -> throw new AssertionError("a column has no values");
        }
        return values;
    }

    private static String type(FeatureColumn column) {
        return switch (column.getValuesCase()) {
            case DOUBLES -> "f64";
            case INT64S -> "i64";
            case TEXTS -> "text";
            case DOUBLE_LISTS -> "f64[]";
            case VALUES_NOT_SET -> "none";
        };
    }

    private static ReadFeaturesResponse parsed(ReadAnswer answer) throws InvalidProtocolBufferException {
        return ReadFeaturesResponse.parseFrom(GrpcColumns.bytes(answer));
    }

    @ParameterizedTest(name = "seed={0}")
    @MethodSource("io.thalweg.testing.Seeds#seeds")
    void bytes_anyAnswer_areTheColumnsOfHttp(long seed) throws IOException {
        Random random = new Random(seed);
        for (int i = 0; i < 10; i++) {
            ReadAnswer answer = GrpcRowsTest.answer(random);
            DecodedColumns http = DecodedColumns.of(ColumnAnswers.answer(answer));
            ReadFeaturesResponse message = parsed(answer);
            RowColumns columns = message.getColumns();

            assertThat(message.toBuilder().clearColumns().build()).isEqualTo(GrpcMessages.head(answer));
            assertThat(columns.getStatusesValueList()).isEqualTo(http.columns().get("status"));
            assertThat(columns.getFinalitiesValueList())
                    .isEqualTo(http.columns().get("finality"));
            assertThat(columns.getWindowEndsMsList()).isEqualTo(http.columns().get("window_end"));
            assertThat(columns.getAgesMsList()).isEqualTo(http.columns().get("age_ms"));
            assertThat(columns.getFeaturesCount()).isEqualTo(answer.features().size());
            for (int f = 0; f < answer.features().size(); f++) {
                String name = answer.features().get(f);
                assertThat(type(columns.getFeatures(f))).isEqualTo(http.types().get(name));
                assertThat(values(columns.getFeatures(f)))
                        .isEqualTo(http.columns().get(name));
            }
        }
    }
}
