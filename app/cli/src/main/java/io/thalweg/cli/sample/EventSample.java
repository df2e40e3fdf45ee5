package io.thalweg.cli.sample;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.formats.CsvDecoder;
import io.thalweg.formats.LineReader;
import io.thalweg.model.source.Source;
import io.thalweg.runner.UserError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * The first events of a file of JSON lines or CSV.
 *
 * <p><b>Threads.</b> One.
 */
final class EventSample {
    /** How many events are read. */
    static final int EVENTS_MAX = 100_000;

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path file;
    private final Source.Format format;
    private final Map<String, SampledField> fields = new LinkedHashMap<>();
    private long events;

    private EventSample(Path file, Source.Format format) {
        this.file = file;
        this.format = format;
    }

    /**
     * Reads a file.
     *
     * @throws UserError if it is of another format, has no events, or an event cannot be read
     */
    static EventSample of(Path file) {
        EventSample sample = new EventSample(file, format(file));
        sample.read((path, value) -> sample.field(path).add(value));
        if (sample.events == 0) {
            throw UserError.usage(file + " has no events", "name a file with at least one");
        }
        return sample;
    }

    private static Source.Format format(Path file) {
        String name =
                String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT).replaceFirst("[.]gz$", "");
        if (name.endsWith(".csv")) {
            return Source.Format.CSV;
        }
        if (name.endsWith(".jsonl") || name.endsWith(".json") || name.endsWith(".ndjson")) {
            return Source.Format.JSON;
        }
        throw UserError.usage(
                "--sample " + file + ": a sample must be .csv, .jsonl, .ndjson or .json, also with .gz",
                "events of Avro, Thrift and Protocol Buffers come with a schema: thalweg init, then name it as source.schema");
    }

    private SampledField field(String path) {
        return fields.computeIfAbsent(path, SampledField::new);
    }

    /** Reports each non-null field of each event by its path, in the order of the events. */
    private void read(BiConsumer<String, String> into) {
        List<String> header = null;
        try (LineReader lines = LineReader.open(file, format)) {
            while (events < EVENTS_MAX && lines.next()) {
                String where = file + ", line " + lines.lineNumber();
                if (format == Source.Format.JSON) {
                    members("", object(lines, where), into);
                } else if (header == null) {
                    header = fields(lines, where);
                    continue;
                } else {
                    record(header, fields(lines, where), where, into);
                }
                events++;
            }
        } catch (IOException e) {
            throw UserError.usage("cannot read " + file + ": " + e.getMessage(), "")
                    .causedBy(e);
        }
    }

    private static JsonNode object(LineReader line, String where) {
        String text = new String(line.bytes(), line.offset(), line.length(), StandardCharsets.UTF_8);
        try {
            JsonNode event = JSON.readTree(text);
            if (event.isObject()) {
                return event;
            }
        } catch (JsonProcessingException e) {
            throw notRead(where + ": an event must be a JSON object on one line")
                    .causedBy(e);
        }
        throw notRead(where + ": an event must be a JSON object on one line");
    }

    private static List<String> fields(LineReader line, String where) {
        try {
            return CsvDecoder.header(line.bytes(), line.offset(), line.length());
        } catch (IllegalArgumentException e) {
            throw notRead(where + ": " + e.getMessage()).causedBy(e);
        }
    }

    private static UserError notRead(String message) {
        return UserError.usage(message, "correct the line, or take a sample without it");
    }

    private static void record(
            List<String> header, List<String> values, String where, BiConsumer<String, String> into) {
        if (values.size() != header.size()) {
            throw notRead(where + ": has " + values.size() + " fields, the header names " + header.size());
        }
        for (int i = 0; i < values.size(); i++) {
            if (!values.get(i).isEmpty()) {
                into.accept(header.get(i), values.get(i));
            }
        }
    }

    private static void members(String prefix, JsonNode object, BiConsumer<String, String> into) {
        object.properties().forEach(member -> {
            String name = member.getKey();
            String segment = name.contains(".") || name.contains("\"") ? '"' + name.replace("\"", "\"\"") + '"' : name;
            JsonNode value = member.getValue();
            if (value.isObject()) {
                members(prefix + segment + ".", value, into);
            } else if (value.isValueNode() && !value.isNull()) {
                into.accept(prefix + segment, value.asText());
            }
        });
    }

    Path file() {
        return file;
    }

    Source.Format format() {
        return format;
    }

    long events() {
        return events;
    }

    /** The fields, in the order of their first value. */
    List<SampledField> fields() {
        return new ArrayList<>(fields.values());
    }

    /**
     * The times of the events.
     *
     * @param firstMs of the earliest event, epoch ms
     * @param lastMs of the latest event, epoch ms
     * @param behindMs how far an event is behind the latest before it, at most
     */
    record Times(long firstMs, long lastMs, long behindMs) {}

    /** Reads the file once more for the times in a field. */
    Times times(SampledField field, TimeUnitGuess unit) {
        long[] times = {Long.MAX_VALUE, Long.MIN_VALUE, 0};
        events = 0;
        read((path, value) -> {
            if (path.equals(field.path())) {
                long ms = unit.epochMs(value);
                times[2] = Math.max(times[2], times[1] == Long.MIN_VALUE ? 0 : times[1] - ms);
                times[0] = Math.min(times[0], ms);
                times[1] = Math.max(times[1], ms);
            }
        });
        return new Times(times[0], times[1], times[2]);
    }
}
