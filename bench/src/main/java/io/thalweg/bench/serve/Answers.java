package io.thalweg.bench.serve;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.api.v1.DoubleColumn;
import io.thalweg.api.v1.FeatureColumn;
import io.thalweg.api.v1.FeatureRow;
import io.thalweg.api.v1.FeatureValue;
import io.thalweg.api.v1.ReadFeaturesResponse;
import io.thalweg.api.v1.RowColumns;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

/** Parses answers, by protocol. */
final class Answers {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Answers() {}

    /**
     * A row of an answer.
     *
     * @param windowEndMs 0 if there is none
     * @param values in the view's order; NaN where there is none
     */
    record Row(long windowEndMs, double[] values) {}

    /** Parses the answers of one protocol. */
    interface Form {
        /** Returns the rows of an answer, in the order of the keys. */
        List<Row> rows(byte[] answer) throws IOException;
    }

    /** Parses an answer of {@code ReadFeatures}. */
    static List<Row> ofGrpc(byte[] answer) throws IOException {
        return ReadFeaturesResponse.parseFrom(answer).getRowsList().stream()
                .map(Answers::row)
                .toList();
    }

    /** Parses an answer of {@code ReadFeatures} in columns. */
    static List<Row> ofColumns(byte[] answer) throws IOException {
        RowColumns columns = ReadFeaturesResponse.parseFrom(answer).getColumns();
        List<DoubleColumn> features = columns.getFeaturesList().stream()
                .map(FeatureColumn::getDoubles)
                .toList();
        return IntStream.range(0, columns.getWindowEndsMsCount())
                .mapToObj(row -> new Row(
                        columns.getWindowEndsMs(row),
                        features.stream()
                                .mapToDouble(feature -> feature.getValues(row))
                                .toArray()))
                .toList();
    }

    private static Row row(FeatureRow row) {
        return new Row(
                row.getWindowEnd().getSeconds() * 1_000,
                row.getValuesList().stream().mapToDouble(Answers::number).toArray());
    }

    private static double number(FeatureValue value) {
        return value.hasDoubleValue() ? value.getDoubleValue() : Double.NaN;
    }

    /** Parses an answer of {@code POST /v1/views/NAME:read}. */
    static List<Row> ofView(byte[] answer) throws IOException {
        List<Row> rows = new ArrayList<>();
        for (JsonNode row : JSON.readTree(answer).path("rows")) {
            double[] values = StreamSupport.stream(row.path("values").spliterator(), false)
                    .mapToDouble(Answers::number)
                    .toArray();
            rows.add(new Row(timeMs(row.path("window_end")), values));
        }
        return rows;
    }

    private static double number(JsonNode value) {
        return value.isNumber() ? value.doubleValue() : Double.NaN;
    }

    private static long timeMs(JsonNode time) {
        return time.isTextual() ? Instant.parse(time.asText()).toEpochMilli() : 0;
    }
}
