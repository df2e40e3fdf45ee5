package io.thalweg.tables;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Writes lines of CSV as RFC 4180 has them. */
final class CsvText {
    private CsvText() {}

    /** Appends a field to a line: nothing for null, {@code ""} for empty text. */
    static void append(@Nullable Object value, StringBuilder line) {
        if (value instanceof Double || value instanceof Long || value instanceof Boolean) {
            line.append(value);
        } else if (value != null) {
            String text = value.toString();
            boolean plain =
                    !text.isEmpty() && text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
            line.append(plain ? text : '"' + text.replace("\"", "\"\"") + '"');
        }
        line.append(',');
    }

    /** Writes a line and empties it. */
    static void end(StringBuilder line, OutputStream out) throws IOException {
        line.setCharAt(line.length() - 1, '\n');
        out.write(line.toString().getBytes(StandardCharsets.UTF_8));
        line.setLength(0);
    }
}
