package io.thalweg.formats.lookup;

import io.thalweg.formats.EventColumns;
import io.thalweg.formats.EventDecoder;
import io.thalweg.formats.FieldKind;
import io.thalweg.formats.LineReader;
import io.thalweg.formats.Projection;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.source.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A lookup table in a file: JSON lines, or CSV with a header line; gzip is detected by content. A file whose size and
 * modification time are unchanged is not read again.
 *
 * @param key the field that holds the key: text or a number
 * @param fields whose values are looked up; a record may lack some
 */
public record LookupFile(Path path, Source.Format format, FieldPath key, List<FieldPath> fields)
        implements LookupSource {
    public LookupFile {
        fields = List.copyOf(fields);
        Set<List<String>> distinct = new HashSet<>(List.of(key.segments()));
        for (FieldPath field : fields) {
            if (!distinct.add(field.segments())) {
                throw new IllegalArgumentException(
                        "a lookup must name its key and each field once, was " + field.text() + " twice");
            }
        }
    }

    private record Version(Object modified, long bytes) {}

    @Override
    public String name() {
        return path.toString();
    }

    @Override
    public Object version() throws IOException {
        try {
            BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
            return new Version(attributes.lastModifiedTime(), attributes.size());
        } catch (NoSuchFileException e) {
            throw new IOException("there is no such file", e);
        }
    }

    @Override
    public void read(LookupRows into) throws IOException {
        List<FieldPath> paths = new ArrayList<>(List.of(key));
        paths.addAll(fields);
        Projection projection = Projection.of(format, paths);
        EventColumns record = new EventColumns(projection);
        try (LineReader lines = LineReader.open(path, format)) {
            EventDecoder decoder = decoder(projection, lines);
            while (lines.next()) {
                record.clear();
                decoder.decode(lines.bytes(), lines.offset(), lines.length(), 0, lines.lineNumber(), record);
                requireKey(record, lines.lineNumber());
                into.add(record, 0);
            }
        }
    }

    private EventDecoder decoder(Projection projection, LineReader lines) throws IOException {
        if (format != Source.Format.CSV) {
            return EventDecoder.create(projection);
        }
        try {
            List<String> header =
                    lines.next() ? EventDecoder.csvHeader(lines.bytes(), lines.offset(), lines.length()) : List.of();
            EventDecoder decoder = EventDecoder.create(projection, header);
            for (FieldPath field : projection.paths()) {
                if (!header.contains(field.column())) {
                    throw new IOException("there is no column " + field.text() + "; its header has " + header);
                }
            }
            return decoder;
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private void requireKey(EventColumns record, long line) throws IOException {
        String error = record.decodeError(0);
        if (error == null) {
            FieldKind kind = record.kind(0, 0);
            if (kind == FieldKind.STRING || kind == FieldKind.INTEGER || kind == FieldKind.DOUBLE) {
                return;
            }
            error = "the key " + key.text() + " must be text or a number, was " + record.shown(0, 0);
        }
        throw new IOException("line " + line + ": " + error);
    }
}
