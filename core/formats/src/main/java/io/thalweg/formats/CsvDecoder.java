package io.thalweg.formats;

import io.thalweg.model.field.FieldPath;
import io.thalweg.records.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decodes CSV by RFC 4180: commas, quotes doubled inside quotes, as many fields as the header. */
public final class CsvDecoder implements EventDecoder {
    private final RecordFields recordFields;
    private final int width;
    /** For each column of the projection: its position in a record, or -1. */
    private final int[] sources;

    private final CsvFields fields = new CsvFields();

    public CsvDecoder(Projection projection, List<String> header) {
        if (header.isEmpty()) {
            throw new IllegalArgumentException("CSV needs a header line that names its columns, was empty");
        }
        if (new HashSet<>(header).size() != header.size()) {
            throw new IllegalArgumentException("a CSV header must name each column once, was " + header);
        }
        recordFields = new RecordFields(projection);
        width = header.size();
        sources = new int[projection.paths().size()];
        for (int c = 0; c < sources.length; c++) {
            FieldPath path = projection.paths().get(c);
            sources[c] = path.isRecordField() ? -1 : header.indexOf(path.column());
        }
    }

    public static List<String> header(byte[] data, int offset, int length) {
        CsvFields fields = new CsvFields();
        String error =
                Utf8.firstMalformed(data, offset, length) >= 0 ? "not UTF-8" : fields.split(data, offset, length);
        if (error != null) {
            throw new IllegalArgumentException("a CSV header must be one well-formed line, was not: " + error);
        }
        List<String> names = new ArrayList<>();
        for (int i = 0; i < fields.count(); i++) {
            names.add(new String(fields.bytes(i), fields.offset(i), fields.length(i), StandardCharsets.UTF_8));
        }
        return List.copyOf(names);
    }

    @Override
    public void decode(byte[] data, int offset, int length, RecordOrigin origin, EventColumns into) {
        if (length > MAX_RECORD_BYTES) {
            into.appendTooLarge(data, offset, length, origin);
            return;
        }
        into.append(data, offset, length, origin);
        String error = parse(data, offset, length);
        if (error != null) {
            into.fail(BadReason.UNDECODABLE, error);
            return;
        }
        for (int c = 0; c < sources.length; c++) {
            int i = sources[c];
            if (i >= 0 && fields.length(i) > 0) {
                into.putBytes(c, fields.bytes(i), fields.offset(i), fields.length(i));
            }
        }
        recordFields.fill(into, origin);
    }

    private @Nullable String parse(byte[] data, int offset, int length) {
        int malformed = Utf8.firstMalformed(data, offset, length);
        if (malformed >= 0) {
            return "not UTF-8 at byte " + (malformed - offset);
        }
        String error = fields.split(data, offset, length);
        if (error != null) {
            return error;
        }
        return fields.count() == width
                ? null
                : "a record must have as many fields as the header, %d, was %d".formatted(width, fields.count());
    }
}
