package io.thalweg.model.field;

import java.util.ArrayList;
import java.util.List;

/** Splits a dotted path; segments in double quotes may contain dots, a doubled quote means one. */
final class FieldPathParser {
    private FieldPathParser() {}

    static FieldPath parse(String text) {
        List<String> segments = new ArrayList<>();
        int at = 0;
        while (true) {
            StringBuilder segment = new StringBuilder();
            at = text.startsWith("\"", at) ? quoted(text, at + 1, segment) : plain(text, at, segment);
            if (segment.isEmpty()) {
                throw new IllegalArgumentException("a field path must not have an empty segment, was '" + text + "'");
            }
            segments.add(segment.toString());
            if (at == text.length()) {
                return new FieldPath(text, segments);
            }
            at++;
        }
    }

    private static int plain(String text, int from, StringBuilder segment) {
        int dot = text.indexOf('.', from);
        int end = dot < 0 ? text.length() : dot;
        segment.append(text, from, end);
        return end;
    }

    private static int quoted(String text, int from, StringBuilder segment) {
        for (int at = from; at < text.length(); at++) {
            if (text.charAt(at) != '"') {
                segment.append(text.charAt(at));
            } else if (text.startsWith("\"\"", at)) {
                segment.append('"');
                at++;
            } else if (at + 1 == text.length() || text.charAt(at + 1) == '.') {
                return at + 1;
            } else {
                break;
            }
        }
        throw new IllegalArgumentException(
                "a quoted segment must end with a quote before a dot or the end, was '" + text + "'");
    }
}
