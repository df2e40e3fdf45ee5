package io.thalweg.pipelinetest;

import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.pipelinetest.PipelineTest.ExpectedValue;
import io.thalweg.pipelinetest.PipelineTest.ReadRow;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes the answers of reads as expectations of a test. Listed keys stay, with the parts that they list.
 *
 * @param date of times without a date
 */
record ReadRecording(FeatureView view, LocalDate date) {
    /** Returns an element of {@code reads}, as lines that end in a line feed. */
    String text(ViewReads.Answer answer) {
        StringBuilder text = new StringBuilder(
                "    - at: \"%s\"\n      rows:\n".formatted(time(answer.read().atMs())));
        for (int i = 0; i < answer.rows().size(); i++) {
            text.append("        - {")
                    .append(row(answer.read().rows().get(i), answer.rows().get(i)))
                    .append("}\n");
        }
        return text.toString();
    }

    private String row(ReadRow expected, ViewReads.Row was) {
        List<String> fields = entities(expected.entities());
        fields.add("status: " + was.status());
        if (was.windowEndMs() != null && (expected.windowEndMs() != null || expected.status() == null)) {
            fields.add("window_end: \"" + time(was.windowEndMs()) + '"');
        }
        if (!expected.features().isEmpty() || expected.status() == null) {
            fields.add("features: {" + features(was.features(), expected.features()) + "}");
        }
        return String.join(", ", fields);
    }

    private String time(long ms) {
        return TestTimes.text(Instant.ofEpochMilli(ms), date);
    }

    /** Returns the entities of a row, one field each. */
    List<String> entities(Map<String, Object> entities) {
        List<String> fields = new ArrayList<>();
        for (Entity entity : view.entities()) {
            Object value = entities.get(entity.name());
            String text = Texts.entity(entity, value);
            fields.add(entity.name() + ": "
                    + (value instanceof String || entity instanceof Entity.Cell ? Recording.quoted(text) : text));
        }
        return fields;
    }

    /** Returns features with their values; if some are listed, only these. */
    static String features(Map<String, ? extends @Nullable Number> features, Map<String, ExpectedValue> listed) {
        return features.entrySet().stream()
                .filter(feature -> listed.isEmpty() || listed.containsKey(feature.getKey()))
                .map(feature -> feature.getKey() + ": " + value(feature.getValue(), listed.get(feature.getKey())))
                .collect(Collectors.joining(", "));
    }

    private static String value(@Nullable Number value, @Nullable ExpectedValue listed) {
        String text = value == null ? "null" : value.toString();
        if (value instanceof BigInteger wide && wide.bitLength() > 63) {
            text = '"' + text + '"';
        }
        return value == null || listed == null || listed.within() == null
                ? text
                : "{about: %s, within: %s}".formatted(text, listed.within());
    }
}
