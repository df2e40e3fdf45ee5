package io.thalweg.records.json;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.util.ArrayList;
import java.util.List;

/** Writes trees as text. */
final class JsonTreeText {
    private static final int WIDTH = 100;

    private JsonTreeText() {}

    /** Returns the text over several lines; short values without nested containers take one line. */
    static String pretty(JsonTree tree) {
        StringBuilder out = new StringBuilder();
        append(tree, "", out);
        return out.append('\n').toString();
    }

    /** Returns the text on one line. */
    static String of(JsonTree tree) {
        if (tree instanceof JsonTree.Obj object) {
            List<String> members = new ArrayList<>();
            object.members().forEach((name, value) -> members.add(quoted(name) + ": " + of(value)));
            return "{" + String.join(", ", members) + "}";
        }
        if (tree instanceof JsonTree.Arr array) {
            return "["
                    + String.join(
                            ", ",
                            array.elements().stream().map(JsonTreeText::of).toList()) + "]";
        }
        if (tree instanceof JsonTree.Text text) {
            return quoted(text.value());
        }
        if (tree instanceof JsonTree.Num number) {
            return number.text();
        }
        return tree instanceof JsonTree.Bool bool ? String.valueOf(bool.value()) : "null";
    }

    private static void append(JsonTree tree, String indent, StringBuilder out) {
        String line = of(tree);
        if (!(tree instanceof JsonTree.Obj object)
                || (!hasObjects(object) && indent.length() + line.length() <= WIDTH)) {
            out.append(line);
            return;
        }
        out.append("{\n");
        String separator = "";
        for (var member : object.members().entrySet()) {
            out.append(separator)
                    .append(indent)
                    .append("  ")
                    .append(quoted(member.getKey()))
                    .append(": ");
            append(member.getValue(), indent + "  ", out);
            separator = ",\n";
        }
        out.append('\n').append(indent).append('}');
    }

    private static boolean hasObjects(JsonTree.Obj object) {
        return object.members().values().stream().anyMatch(JsonTree.Obj.class::isInstance);
    }

    private static String quoted(String text) {
        return '"' + new String(JsonStringEncoder.getInstance().quoteAsString(text)) + '"';
    }
}
