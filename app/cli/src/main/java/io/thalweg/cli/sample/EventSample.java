package io.thalweg.cli.sample;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.thalweg.formats.ContainerSchema;
import io.thalweg.formats.CsvDecoder;
import io.thalweg.formats.EventColumns;
import io.thalweg.formats.FieldKind;
import io.thalweg.formats.LineReader;
import io.thalweg.formats.Projection;
import io.thalweg.formats.RecordDecoder;
import io.thalweg.formats.file.EventFile;
import io.thalweg.formats.file.EventFiles;
import io.thalweg.formats.file.TypedFiles;
import io.thalweg.model.ingest.Ingest.Framing;
import io.thalweg.model.source.Source;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.runner.FileReason;
import io.thalweg.runner.UserError;
import io.thalweg.tables.ParquetEvents;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The first events of a file of JSON lines, CSV, Parquet or Avro.
 *
 * <p><b>Threads.</b> One.
 */
final class EventSample {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path file;
    private final Source.Format format;
    private final Map<String, SampledField> fields = new LinkedHashMap<>();
    private @Nullable ContainerSchema schema;
    private long events;

    private EventSample(Path file) {
        this.file = file;
        this.format = format(file);
    }

    /**
     * Reads a file.
     *
     * @throws UserError if it is of another format, has no events, or an event cannot be read
     */
    static EventSample of(Path file) {
        EventSample sample = new EventSample(file);
        sample.read();
        if (sample.events == 0) {
            throw UserError.usage(file + " has no events", "name a file with at least one");
        }
        return sample;
    }

    private static Source.Format format(Path file) {
        if (TypedFiles.isNamed(file.toString())) {
            return Source.Format.JSON;
        }
        if (Framing.ofName(file.toString()) == Framing.AVRO_CONTAINER) {
            return Source.Format.AVRO;
        }
        String name =
                String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT).replaceFirst("[.]gz$", "");
        if (name.endsWith(".csv")) {
            return Source.Format.CSV;
        }
        if (name.endsWith(".jsonl") || name.endsWith(".json") || name.endsWith(".ndjson")) {
            return Source.Format.JSON;
        }
        throw UserError.usage(
                "--sample " + file
                        + ": a sample must be .csv, .jsonl, .ndjson or .json, also with .gz, .parquet or .avro",
                "events of Thrift and Protocol Buffers come with a schema: thalweg init, then name it as source.schema");
    }

    /** Adds each field of the first events that is not null. */
    private void read() {
        try {
            if (isTyped()) {
                Projection columns = Projection.of(format, ParquetEvents.fields(file));
                readRows(columns, ParquetEvents.open(file, columns, UnaryOperator.identity()));
            } else if (format == Source.Format.AVRO) {
                readContainer();
            } else {
                readLines();
            }
        } catch (IOException e) {
            throw UserError.usage("cannot read " + file + ": " + FileReason.of(e), "")
                    .causedBy(e);
        } catch (SchemaException e) {
            throw UserError.usage("cannot read the schema of " + file + ": " + e.getMessage(), "")
                    .causedBy(e);
        }
    }

    private void readLines() throws IOException {
        List<String> header = null;
        try (LineReader lines = LineReader.open(file, format)) {
            while (events < ViewProposal.EVENTS_MAX && lines.next()) {
                String where = file + ", line " + lines.lineNumber();
                if (format == Source.Format.JSON) {
                    members("", object(lines, where));
                } else if (header == null) {
                    header = fields(lines, where);
                    requireCommas(header);
                    continue;
                } else {
                    record(header, fields(lines, where), where);
                }
                events++;
            }
        }
    }

    private void readContainer() throws IOException {
        ContainerSchema own = ContainerSchema.of(file);
        schema = own;
        Projection columns =
                Projection.of(own.encoding(file), own.fields().keySet().stream().toList());
        EventFiles files = new EventFiles(
                columns, UnaryOperator.identity(), LineReader::lineNumber, RecordDecoder::create, TypedFiles.NONE);
        readRows(columns, files.open(file));
    }

    private void readRows(Projection columns, EventFile rows) throws IOException {
        EventColumns row = new EventColumns(columns);
        try (rows) {
            for (row.clear(); events < ViewProposal.EVENTS_MAX && rows.next(row); row.clear()) {
                if (row.decodeError(0) != null) {
                    throw notRead(file + ", event " + (events + 1) + ": " + row.decodeError(0));
                }
                for (int c = 0; c < columns.paths().size(); c++) {
                    FieldKind kind = row.kind(0, c);
                    if (!kind.isAbsent() && kind != FieldKind.INVALID_TEXT) {
                        boolean isText = kind == FieldKind.STRING;
                        add(
                                path(columns.paths().get(c).segments()),
                                isText ? row.string(0, c) : row.shown(0, c),
                                isText);
                    }
                }
                events++;
            }
        }
    }

    private static String path(List<String> segments) {
        return segments.stream().map(EventSample::segment).collect(Collectors.joining("."));
    }

    /** Returns the name of a member as a segment of a path. */
    private static String segment(String name) {
        return name.contains(".") || name.contains("\"") ? '"' + name.replace("\"", "\"\"") + '"' : name;
    }

    private void add(String path, String value, boolean isText) {
        fields.computeIfAbsent(path, SampledField::new).add(value, isText);
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

    /** Refuses a header that other characters separate, as in files of spreadsheets in many countries. */
    private void requireCommas(List<String> header) {
        String only = header.size() == 1 ? header.get(0) : "";
        if (only.contains(";") || only.contains("\t")) {
            throw UserError.usage(
                    file + ": fields must be separated by commas, and the header has none: " + only,
                    "save the file as CSV with commas and decimal points");
        }
    }

    private static UserError notRead(String message) {
        return UserError.usage(message, "correct the line, or take a sample without it");
    }

    private void record(List<String> header, List<String> values, String where) {
        if (values.size() != header.size()) {
            throw notRead(where + ": has " + values.size() + " fields, the header names " + header.size());
        }
        for (int i = 0; i < values.size(); i++) {
            if (!values.get(i).isEmpty()) {
                add(header.get(i), values.get(i), false); // of CSV, which has no types
            }
        }
    }

    private void members(String prefix, JsonNode object) {
        object.properties().forEach(member -> {
            String segment = segment(member.getKey());
            JsonNode value = member.getValue();
            if (value.isObject()) {
                members(prefix + segment + ".", value);
            } else if (value.isValueNode() && !value.isNull()) {
                add(prefix + segment, value.asText(), value.isTextual());
            }
        });
    }

    Path file() {
        return file;
    }

    Source.Format format() {
        return format;
    }

    /** Whether the file has columns with types, so that it is read by their names whatever the format. */
    boolean isTyped() {
        return TypedFiles.isNamed(file.toString());
    }

    /** The schema that the file carries; null if its format has none. */
    @Nullable
    ContainerSchema schema() {
        return schema;
    }

    long events() {
        return events;
    }

    /** The fields, in the order of their first value. */
    List<SampledField> fields() {
        return new ArrayList<>(fields.values());
    }
}
