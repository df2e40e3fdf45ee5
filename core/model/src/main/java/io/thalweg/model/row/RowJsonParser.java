package io.thalweg.model.row;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.thalweg.model.problem.JsonFault;
import io.thalweg.model.row.ForeignRowException.Difference;
import io.thalweg.model.view.Entity;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.ValueType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads JSON rows and progress records. */
final class RowJsonParser {
    private static final ObjectReader READER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build()
            .reader();

    /** First byte of Avro's single-object encoding. */
    private static final int AVRO_MAGIC = 0xC3;

    private final FeatureView view;

    RowJsonParser(FeatureView view) {
        this.view = view;
    }

    ParsedRow row(byte[] line) {
        JsonNode row = object(line);
        checkView(row);
        return new ParsedRow(
                view.qualifiedName(), entities(row), instant(row, "window_end"), finality(row), 0, features(row));
    }

    void checkView(JsonNode row) {
        if (!text(row, "view").equals(view.qualifiedName())) {
            throw new ForeignRowException(
                    Difference.VIEW,
                    text(row, "view"),
                    String.valueOf(wrong("view", view.qualifiedName(), row).getMessage()));
        }
    }

    Map<String, Object> entities(JsonNode row) {
        Map<String, Object> entities = new LinkedHashMap<>();
        for (Entity entity : view.entities()) {
            entities.put(entity.name(), entity(entity, row));
        }
        return entities;
    }

    /** Checks that the features are exactly those of the view, in any order. */
    void requireFeatures(Set<String> found) {
        List<String> wanted = view.featureNames();
        if (found.size() != wanted.size() || !found.containsAll(wanted)) {
            throw new ForeignRowException(
                    Difference.LAYOUT, view.qualifiedName(), "row.features must be " + wanted + ", was " + found);
        }
    }

    /** Returns whether an index is an H3 cell of exactly this resolution. */
    static boolean isCell(long index, int resolution) {
        long below = (1L << (3 * (15 - resolution))) - 1;
        return index >>> 59 == 1 && (index >>> 52 & 15) == resolution && (index & below) == below;
    }

    static Finality finality(JsonNode row) {
        String finality = text(row, "finality");
        if (!finality.equals("FINAL") && !finality.equals("PARTIAL")) {
            throw wrong("finality", "FINAL or PARTIAL", row);
        }
        return Finality.valueOf(finality);
    }

    static long sequence(JsonNode row) {
        JsonNode value = row.path("sequence");
        try {
            long sequence = value.isTextual() ? Long.parseLong(value.textValue()) : value.longValue();
            if ((value.isTextual() || (value.isIntegralNumber() && value.canConvertToLong())) && sequence >= 0) {
                return sequence;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw wrong("sequence", "a whole number of at least 0", row);
    }

    static @Nullable Progress progress(byte[] value) {
        int first = value.length > 0 ? value[0] & 0xFF : 0;
        if (first == HexRowCodec.BLOCK_MAGIC || first == KeyedRowCodec.BLOCK_MAGIC || first == AVRO_MAGIC) {
            return null;
        }
        JsonNode record = object(value);
        JsonNode progress = record.path("progress");
        if (!progress.isObject()) {
            text(record, "finality");
            return null;
        }
        return new Progress(
                text(record, "view"),
                integer(progress, "shard"),
                integer(progress, "shards"),
                instant(progress, "window_end"));
    }

    static JsonNode object(byte[] bytes) {
        try {
            JsonNode node = READER.readTree(bytes);
            if (node.isObject()) {
                return node;
            }
            throw new IllegalArgumentException("a row must be a JSON object");
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("a row must be a JSON object: " + JsonFault.words(e), e);
        } catch (IOException e) {
            throw new UncheckedIOException("bytes in memory could not be read", e);
        }
    }

    private static Object entity(Entity entity, JsonNode row) {
        JsonNode value = row.path(entity.name());
        if (entity instanceof Entity.Cell) {
            return cell(entity.name(), row);
        }
        ValueType type = ((Entity.Field) entity).type();
        if (type == ValueType.BOOL && value.isBoolean()) {
            return value.booleanValue();
        }
        if (type == ValueType.INT64 && value.isIntegralNumber() && value.canConvertToLong()) {
            return value.longValue();
        }
        if (type == ValueType.INT64 && value.isTextual()) {
            try {
                return Long.parseLong(value.textValue());
            } catch (NumberFormatException e) {
                throw wrong(entity.name(), "int64", row);
            }
        }
        if ((type == ValueType.STRING || type == ValueType.UUID) && value.isTextual()) {
            return value.textValue();
        }
        throw wrong(entity.name(), type.text(), row);
    }

    private static long cell(String name, JsonNode row) {
        try {
            return Long.parseUnsignedLong(text(row, name), 16);
        } catch (NumberFormatException e) {
            throw wrong(name, "an H3 cell in hex", row);
        }
    }

    private static Map<String, @Nullable Number> features(JsonNode row) {
        JsonNode features = row.path("features");
        if (!features.isObject()) {
            throw wrong("features", "an object", row);
        }
        Map<String, @Nullable Number> values = new LinkedHashMap<>();
        features.properties().forEach(feature -> {
            if (!feature.getValue().isNumber()) {
                throw wrong(feature.getKey(), "a number", features);
            }
            values.put(feature.getKey(), feature.getValue().doubleValue());
        });
        return values;
    }

    private static String text(JsonNode row, String field) {
        if (!row.path(field).isTextual()) {
            throw wrong(field, "text", row);
        }
        return row.path(field).textValue();
    }

    private static int integer(JsonNode row, String field) {
        if (!row.path(field).canConvertToInt() || !row.path(field).isIntegralNumber()) {
            throw wrong(field, "an integer", row);
        }
        return row.path(field).intValue();
    }

    static long instant(JsonNode row, String field) {
        try {
            return Instant.parse(text(row, field)).toEpochMilli();
        } catch (DateTimeException | ArithmeticException e) {
            throw wrong(field, "an RFC 3339 time", row);
        }
    }

    static IllegalArgumentException wrong(String field, String rule, JsonNode row) {
        JsonNode value = row.path(field);
        return new IllegalArgumentException(
                "row." + field + " must be " + rule + ", was " + (value.isMissingNode() ? "missing" : value));
    }
}
