package io.thalweg.model.yaml;

import io.thalweg.model.problem.Problems;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * A value in a YAML file with its position. If it is not of the requested type, a problem is reported and a placeholder
 * of that type returned, so that one pass finds all problems; after a problem, nothing that was read is used.
 */
public final class YamlValue {
    private static final int SHOWN_MAX = 60;

    private final Problems problems;
    private final String file;
    private final String path;
    private final Node node;

    public YamlValue(Problems problems, String file, String path, Node node) {
        this.problems = problems;
        this.file = file;
        this.path = path;
        this.node = node;
    }

    /** The name of the file; its path if it was read from one. */
    public String file() {
        return file;
    }

    public String path() {
        return path;
    }

    public Problems problems() {
        return problems;
    }

    /** Reports {@code must be RULE, was VALUE}. */
    public void wrong(String rule) {
        problem("must be " + rule + ", was " + shown());
    }

    /** Reports a problem of this value. */
    public void problem(String message) {
        problems.add(file, line(), path, message);
    }

    public void problemAt(String key, String message) {
        problems.add(file, line(), path.isEmpty() ? key : path + "." + key, message);
    }

    /** The line at which it begins, from 1; 0 if that is not known. */
    public int line() {
        return node.getStartMark().map(Mark::getLine).orElse(-1) + 1;
    }

    /** Returns file and line: {@code demand.yaml:12}. */
    public String place() {
        return line() > 0 ? file + ":" + line() : file;
    }

    public boolean isMap() {
        return node instanceof MappingNode;
    }

    public boolean isList() {
        return node instanceof SequenceNode;
    }

    public boolean isText() {
        return isText(node);
    }

    /** The library tags <code>${VAR}</code> specially; here it is ordinary text. */
    private static boolean isText(Node node) {
        return node instanceof ScalarNode
                && (node.getTag().equals(Tag.STR) || node.getTag().equals(Tag.ENV_TAG));
    }

    public YamlMap map() {
        if (!isMap()) {
            wrong("a mapping of keys to values");
        }
        return new YamlMap(this, node instanceof MappingNode mapping ? mapping.getValue() : List.of());
    }

    /** Creates a child of this value. */
    public YamlValue child(String step, Node child) {
        return new YamlValue(
                problems,
                file,
                path.isEmpty() && !step.startsWith("[") ? step.replaceFirst("^\\.", "") : path + step,
                child);
    }

    /** Returns the elements of a list. */
    public List<YamlValue> list() {
        if (!isList()) {
            wrong("a list such as [a, b]");
            return List.of();
        }
        List<YamlValue> elements = new ArrayList<>();
        for (Node element : ((SequenceNode) node).getValue()) {
            elements.add(child("[" + elements.size() + "]", element));
        }
        return elements;
    }

    /** Reads a name of a definition, or one within it, which must conform to the rule for views, sources, entities and tests. */
    public String name() {
        String name = isText() ? text() : "";
        if (!name.matches("[a-z][a-z0-9_]{0,99}") || name.contains("__")) {
            wrong("a name of a-z, 0-9 and _, beginning with a letter, without __, such as demand");
        }
        return name;
    }

    /** Reads the name of a table in a catalog; its parts become folders, and names in SQL. */
    public String tableName() {
        String table = isText() ? text() : "";
        if (!table.matches("[A-Za-z0-9_][A-Za-z0-9_-]*(\\.[A-Za-z0-9_][A-Za-z0-9_-]*)+")) {
            wrong("namespace.table of a-z, A-Z, 0-9, '_' and '-', such as rides.events");
            return "?";
        }
        return table;
    }

    /** Returns the elements of a list, or the value itself. */
    public List<YamlValue> listOrOne() {
        return isList() ? list() : List.of(this);
    }

    public String text() {
        if (isText()) {
            return ((ScalarNode) node).getValue();
        }
        wrong("text");
        return "";
    }

    public boolean bool() {
        if (scalar() instanceof Boolean value) {
            return value;
        }
        wrong("true or false");
        return false;
    }

    public int integer(int min, int max) {
        if (scalar() instanceof Long value && value >= min && value <= max) {
            return value.intValue();
        }
        wrong(
                max == Integer.MAX_VALUE
                        ? "a whole number of at least " + min
                        : "a whole number from " + min + " to " + max);
        return min;
    }

    public DurationText duration() {
        if (isText()) {
            try {
                return DurationText.parse(text());
            } catch (IllegalArgumentException e) {
                // noted below with the place
            }
        }
        wrong("a duration such as 10s");
        return new DurationText("1s", 1_000);
    }

    /** Returns a number of bytes, such as {@code 256MiB}. */
    public long bytes(long min, long max) {
        if (isText()) {
            try {
                long bytes = ByteSize.parse(text());
                if (bytes >= min && bytes <= max) {
                    return bytes;
                }
            } catch (IllegalArgumentException | ArithmeticException e) {
                // Reported below with the place.
            }
        }
        wrong("a size from " + ByteSize.text(min) + " to " + ByteSize.text(max) + ", such as 1MiB");
        return min;
    }

    /** Returns a duration of at least a millisecond. */
    public DurationText positiveDuration() {
        DurationText duration = duration();
        if (duration.millis() == 0) {
            wrong("a duration of at least 1ms");
            return new DurationText("1s", 1_000);
        }
        return duration;
    }

    /**
     * Returns one of an enum's constants, written in lower case; {@code later} are known names that are not supported
     * yet.
     */
    public <E extends Enum<E>> E oneOf(Class<E> type, String... later) {
        E[] constants = type.getEnumConstants();
        List<String> names = Arrays.stream(constants)
                .map(constant -> constant.name().toLowerCase(Locale.ROOT))
                .toList();
        int index = isText() ? names.indexOf(text()) : -1;
        if (index >= 0) {
            return constants[index];
        }
        if (isText() && Arrays.asList(later).contains(text())) {
            problem(text() + " is not supported in this version; use " + String.join(" or ", names));
        } else {
            wrong((names.size() == 1 ? "" : "one of ") + String.join(", ", names));
        }
        return constants[0];
    }

    /**
     * Returns a {@code String}, {@code Long}, {@code Double} or {@code Boolean}; null for null and for values that are not
     * scalars.
     */
    @Nullable
    public Object scalar() {
        if (!(node instanceof ScalarNode scalar)) {
            return null;
        }
        String text = scalar.getValue();
        Tag tag = node.getTag();
        try {
            if (tag.equals(Tag.INT)) {
                return integer(text);
            }
            if (tag.equals(Tag.FLOAT)) {
                return Double.parseDouble(
                        text.replaceFirst("\\.(inf|Inf|INF)$", "Infinity").replaceFirst("^\\.(nan|NaN|NAN)$", "NaN"));
            }
        } catch (NumberFormatException e) {
            problem("must be a number of 64 bits, was " + shown());
            return null;
        }
        if (tag.equals(Tag.BOOL)) {
            return Boolean.parseBoolean(text);
        }
        return tag.equals(Tag.NULL) ? null : text;
    }

    public boolean isNull() {
        return node.getTag().equals(Tag.NULL);
    }

    public boolean isScalar() {
        return node instanceof ScalarNode;
    }

    private static long integer(String text) {
        if (text.startsWith("0x")) {
            return Long.parseLong(text.substring(2), 16);
        }
        return text.startsWith("0o") ? Long.parseLong(text.substring(2), 8) : Long.parseLong(text);
    }

    /** Returns the value as flow YAML, truncated. */
    public String shown() {
        StringBuilder out = new StringBuilder();
        show(node, false, out);
        return out.length() <= SHOWN_MAX ? out.toString() : out.substring(0, SHOWN_MAX) + "…";
    }

    private static void show(Node node, boolean inside, StringBuilder out) {
        if (out.length() > SHOWN_MAX) {
            return;
        }
        if (node instanceof ScalarNode scalar) {
            boolean text = isText(node) && !(inside && scalar.getValue().matches("[\\w./-]+"));
            String value = node.getTag().equals(Tag.NULL) ? "null" : scalar.getValue();
            out.append(text ? "'" + value.replace("\n", "\\n") + "'" : value);
        } else if (node instanceof SequenceNode list) {
            out.append('[');
            String separator = "";
            for (Node element : list.getValue()) {
                out.append(separator);
                show(element, true, out);
                separator = ", ";
            }
            out.append(']');
        } else if (node instanceof MappingNode map) {
            out.append('{');
            String separator = "";
            for (var entry : map.getValue()) {
                out.append(separator);
                show(entry.getKeyNode(), true, out);
                out.append(": ");
                show(entry.getValueNode(), true, out);
                separator = ", ";
            }
            out.append('}');
        }
    }
}
