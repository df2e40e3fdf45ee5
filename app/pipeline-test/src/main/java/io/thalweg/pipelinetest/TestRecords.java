package io.thalweg.pipelinetest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.model.problem.Suggestion;
import io.thalweg.model.row.Finality;
import io.thalweg.model.row.Progress;
import io.thalweg.model.row.ProgressJson;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import io.thalweg.pipelinetest.PublishTest.TopicRecord;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records that a test writes to a view's topic: rows and progress, which become JSON as a job writes it, and bytes.
 *
 * <p><b>Threads.</b> One.
 */
final class TestRecords {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String AT = "at";
    private static final String END = "window_end";
    private static final String FINALITY = "finality";
    private static final String PROGRESS = "progress";

    private final FeatureView view;
    private final TestTimes times;
    /** When the previous record is written, epoch ms. */
    private long atMs = Long.MIN_VALUE;

    TestRecords(FeatureView view, TestTimes times) {
        this.view = view;
        this.times = times;
    }

    List<TopicRecord> read(YamlValue records) {
        List<TopicRecord> read = new ArrayList<>();
        for (YamlValue record : records.list()) {
            if (record.isMap()) {
                read.add(record(record.map()));
            } else {
                record.wrong(
                        "a row such as {%s: …, window_end: \"12:01:00\", features: {…}}, {progress: \"12:01:00\"}, {raw: TEXT} or {base64: BYTES}"
                                .formatted(view.entities().get(0).name()));
            }
        }
        return read;
    }

    private TopicRecord record(YamlMap map) {
        boolean bytes = map.has("raw") || map.has("base64");
        boolean progress = map.has(PROGRESS);
        long endMs = bytes
                ? times.midnight()
                : map.required(progress ? PROGRESS : END, "\"12:01:00\"")
                        .map(times::moment)
                        .orElse(0L);
        byte[] value = bytes ? bytes(map) : progress ? progress(endMs) : row(map, endMs);
        atMs = map.optional(AT).map(this::notBefore).orElse(Math.max(atMs, endMs));
        map.close();
        return new TopicRecord(atMs, bytes ? atMs : endMs, value);
    }

    private long notBefore(YamlValue at) {
        long ms = times.moment(at);
        if (ms < atMs) {
            at.wrong("at least the time of the record above, which is written at " + Instant.ofEpochMilli(atMs));
        }
        return Math.max(ms, atMs);
    }

    /** Returns a progress record as a job with one shard writes it. */
    private byte[] progress(long endMs) {
        return ProgressJson.value(new Progress(view.qualifiedName(), 0, 1, endMs));
    }

    private static byte[] bytes(YamlMap map) {
        Optional<YamlValue> base64 = map.optional("base64");
        if (base64.isEmpty()) {
            return map.optional("raw").map(YamlValue::text).orElse("").getBytes(StandardCharsets.UTF_8);
        }
        try {
            return Base64.getDecoder().decode(base64.get().text());
        } catch (IllegalArgumentException e) {
            base64.get().wrong("base64 with padding");
            return new byte[0];
        }
    }

    /** Returns a row with its fields in the order of the topic's rows. */
    private byte[] row(YamlMap map, long endMs) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("view", map.optional("view").map(YamlValue::text).orElse(view.qualifiedName()));
        for (Entity entity : view.entities()) {
            map.required(entity.name(), ExpectationReader.example(entity)).ifPresent(value -> {
                Object read = ExpectationReader.entity(entity, value);
                fields.put(entity.name(), entity instanceof Entity.Cell ? Texts.entity(entity, read) : read);
            });
        }
        fields.put(END, Instant.ofEpochMilli(endMs).toString());
        Finality finality = map.optional(FINALITY).map(TestRecords::finality).orElse(Finality.FINAL);
        fields.put(FINALITY, finality.name());
        Optional<YamlValue> sequence = map.optional("sequence");
        if (finality == Finality.PARTIAL && sequence.isEmpty()) {
            map.key(FINALITY).problem("a PARTIAL row has a number that orders it, such as sequence: 1");
        }
        sequence.ifPresent(value -> fields.put("sequence", value.integer(0, Integer.MAX_VALUE)));
        fields.put("created", Instant.ofEpochMilli(endMs).toString());
        fields.put("features", features(map));
        try {
            return JSON.writeValueAsBytes(fields);
        } catch (JsonProcessingException e) {
            map.self().problem("cannot be written as JSON");
            return new byte[0];
        }
    }

    private static Finality finality(YamlValue value) {
        for (Finality finality : Finality.values()) {
            if (value.isText() && finality.name().equals(value.text())) {
                return finality;
            }
        }
        value.wrong("FINAL or PARTIAL");
        return Finality.FINAL;
    }

    /** Returns the listed features. A row may omit some, as a row of another layout does. */
    private Map<String, @Nullable Object> features(YamlMap map) {
        Map<String, @Nullable Object> features = new LinkedHashMap<>();
        List<String> known = view.featureNames();
        map.required("features", "{" + known.get(0) + ": 1}")
                .ifPresent(value -> value.map().all().forEach((name, feature) -> {
                    if (!known.contains(name)) {
                        feature.problem(
                                "is not a feature of view %s%s; a record of another layout is written as {raw: TEXT}"
                                        .formatted(
                                                view.qualifiedName(),
                                                Suggestion.to(name, known)
                                                        .map(near -> "; did you mean '" + near + "'?")
                                                        .orElse("")));
                    }
                    features.put(name, EventLines.json(feature));
                }));
        return features;
    }
}
