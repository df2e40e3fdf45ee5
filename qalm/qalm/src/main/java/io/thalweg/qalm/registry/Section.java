package io.thalweg.qalm.registry;

import io.thalweg.qalm.Criticality;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value of a tree with its path. Reads do not fail: they add a problem to a list and return a valid value, so that all problems
 * of a document are reported together.
 */
final class Section {
    private final String path;
    private final @Nullable Object value;
    private final List<String> problems;
    private final Set<String> read = new HashSet<>();

    Section(String path, @Nullable Object value, List<String> problems) {
        this.path = path;
        this.value = value;
        this.problems = problems;
    }

    boolean isMap() {
        return value instanceof Map;
    }

    private Map<?, ?> map() {
        if (value instanceof Map<?, ?> map) {
            return map;
        }
        if (value != null) {
            problem("must be a mapping", "key: value");
        }
        return Map.of();
    }

    private void problem(String rule, String example) {
        String problem = "%s %s, was %s; for example %s"
                .formatted(path.isEmpty() ? "the document" : path, rule, value == null ? "nothing" : value, example);
        if (!problems.contains(problem)) {
            problems.add(problem);
        }
    }

    boolean has(String key) {
        return map().containsKey(key);
    }

    Section section(String key) {
        read.add(key);
        return new Section(path.isEmpty() ? key : path + "." + key, isMap() ? map().get(key) : null, problems);
    }

    <T> Map<String, T> sections(String key, Function<Section, T> reader) {
        Section section = section(key);
        Map<String, T> found = new LinkedHashMap<>();
        for (Object name : section.map().keySet()) {
            // A caller may be named 42 or true.
            String text = String.valueOf(name);
            found.put(
                    text,
                    reader.apply(
                            new Section(section.path + "." + text, section.map().get(name), problems)));
        }
        return found;
    }

    Criticality criticality() {
        Criticality criticality = Criticality.parse(value == null ? null : value.toString());
        if (criticality == null) {
            problem("must be 0 (infrastructure), 1 (core), 2 (feature) or 3 (background)", "2");
            return Criticality.FEATURE;
        }
        return criticality;
    }

    <E extends Enum<E>> E choice(String key, Class<E> choices, E byDefault) {
        Section section = section(key);
        if (section.value == null) {
            return byDefault;
        }
        for (E choice : choices.getEnumConstants()) {
            if (choice.name().toLowerCase(Locale.ROOT).equals(section.value.toString())) {
                return choice;
            }
        }
        List<String> words = Arrays.stream(choices.getEnumConstants())
                .map(choice -> choice.name().toLowerCase(Locale.ROOT))
                .toList();
        section.problem("must be one of " + words, byDefault.name().toLowerCase(Locale.ROOT));
        return byDefault;
    }

    @Nullable
    Integer integer(String key) {
        Section section = section(key);
        if (section.value == null || section.value instanceof Integer) {
            return (Integer) section.value;
        }
        section.problem("must be a whole number", "2");
        return null;
    }

    double number(String key, double byDefault) {
        Section section = section(key);
        if (section.value instanceof Number number) {
            return number.doubleValue();
        }
        if (section.value != null) {
            section.problem("must be a number", "100");
        }
        return byDefault;
    }

    /** Reads a number, or a word that denotes one. */
    double number(String key, double byDefault, String word, double meaning) {
        Section section = section(key);
        if (word.equals(section.value)) {
            return meaning;
        }
        if (section.value != null && !(section.value instanceof Number)) {
            section.problem("must be a number or " + word, "100");
            return byDefault;
        }
        return number(key, byDefault);
    }

    String text(String key) {
        String text = optionalText(key);
        return text == null ? "" : text;
    }

    @Nullable
    String optionalText(String key) {
        Object text = section(key).value;
        return text == null ? null : text.toString();
    }

    boolean flag(String key) {
        Section section = section(key);
        if (section.value instanceof Boolean flag) {
            return flag;
        }
        if (section.value != null) {
            section.problem("must be true or false", "true");
        }
        return false;
    }

    @Nullable
    Duration duration(String key) {
        Section section = section(key);
        if (section.value == null) {
            return null;
        }
        Duration duration = RuleDurations.parse(section.value.toString());
        if (duration == null) {
            section.problem("must be a duration", "500ms");
        }
        return duration;
    }

    /**
     * Returns the result of {@code reader}; an {@link IllegalArgumentException} that it throws is reported as a problem of
     * this section.
     */
    <T> T checked(T otherwise, Supplier<T> reader) {
        try {
            return reader.get();
        } catch (IllegalArgumentException e) {
            problems.add(path + ": " + e.getMessage());
            return otherwise;
        }
    }

    /** Reports the keys that have not been read. */
    void noOtherKeys() {
        for (Object key : map().keySet()) {
            if (!read.contains(String.valueOf(key))) {
                problems.add("%s%s is not a known key; known here: %s"
                        .formatted(
                                path.isEmpty() ? "" : path + ".",
                                key,
                                read.stream().sorted().toList()));
            }
        }
    }
}
