package io.thalweg.model.ingest;

import io.thalweg.model.ingest.Generate.Damage;
import io.thalweg.model.ingest.Generate.Range;
import io.thalweg.model.ingest.Generate.Values;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads {@code generate} of an ingest. */
final class GenerateReader {
    private static final Pattern RANGE = Pattern.compile("(\\d{1,9})\\.\\.(\\d{1,9})");
    private static final Pattern BETWEEN = Pattern.compile("(.+?)\\.\\.(.+)");

    private GenerateReader() {}

    static Generate read(YamlValue value) {
        YamlMap map = value.map();
        Optional<YamlMap> corrupt = map.optional("corrupt").map(YamlValue::map);
        Generate read = new Generate(
                map.optional("size").map(GenerateReader::range).orElse(null),
                map.optional("nulls").map(GenerateReader::share).orElse(Generate.DEFAULT.nulls()),
                map.optional("collections").map(GenerateReader::range).orElse(Generate.DEFAULT.collections()),
                map.optional("fields").map(GenerateReader::fields).orElse(Map.of()),
                corrupt.flatMap(damage -> damage.required("share", "1%"))
                        .map(GenerateReader::share)
                        .orElse(0.0),
                corrupt.flatMap(damage -> damage.optional("kinds"))
                        .map(GenerateReader::kinds)
                        .orElse(Generate.DEFAULT.corruptKinds()));
        corrupt.ifPresent(YamlMap::close);
        map.close();
        return read;
    }

    private static List<Damage> kinds(YamlValue value) {
        List<Damage> kinds = value.listOrOne().stream()
                .map(kind -> kind.oneOf(Damage.class))
                .distinct()
                .toList();
        if (kinds.isEmpty()) {
            value.wrong("a list with at least one of truncate, flip, splice, wrong_format, bomb");
        }
        return kinds;
    }

    private static Range range(YamlValue value) {
        Matcher matcher = RANGE.matcher(value.isText() ? value.text() : "");
        if (matcher.matches()) {
            Range range = new Range(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
            if (range.min() <= range.max()) {
                return range;
            }
        }
        value.wrong("a range from the smaller to the larger number, such as 800..2048");
        return new Range(0, 1);
    }

    /** Reads a share, such as {@code 5%} or {@code 0.05}. */
    static double share(YamlValue value) {
        Object scalar = value.scalar();
        double share = Double.NaN;
        if (scalar instanceof Number number) {
            share = number.doubleValue();
        } else if (scalar instanceof String text && text.matches("\\d{1,3}(\\.\\d{1,6})?%")) {
            share = Double.parseDouble(text.substring(0, text.length() - 1)) / 100;
        }
        if (share >= 0 && share <= 1) {
            return share;
        }
        value.wrong("a share of 0% to 100%, such as 5%");
        return 0;
    }

    private static Map<String, Values> fields(YamlValue value) {
        Map<String, Values> fields = new LinkedHashMap<>();
        value.map().all().forEach((path, values) -> fields.put(path, values(values)));
        return fields;
    }

    private static Values values(YamlValue value) {
        if (value.isText() && value.text().equals("now")) {
            return Values.NOW;
        }
        if (!value.isMap()) {
            value.wrong("now, or a mapping such as {distinct: 1000} or {values: [A, B]}");
            return Values.ANY;
        }
        YamlMap map = value.map();
        @Nullable
        Matcher range = map.optional("range").map(GenerateReader::between).orElse(null);
        Values read = new Values(
                map.optional("distinct")
                        .map(distinct -> (long) distinct.integer(1, Integer.MAX_VALUE))
                        .orElse(0L),
                map.optional("zipf").map(GenerateReader::zipf).orElse(0.0),
                map.optional("values").map(GenerateReader::texts).orElse(List.of()),
                range == null ? null : range.group(1).strip(),
                range == null ? null : range.group(2).strip(),
                map.optional("length").map(GenerateReader::range).orElse(null),
                false,
                map.optional("nulls").map(GenerateReader::share).orElse(null));
        if (read.distinct() > 0 && !read.values().isEmpty()) {
            value.problem("distinct and values exclude each other; keep one");
        }
        map.close();
        return read;
    }

    private static double zipf(YamlValue value) {
        if (value.scalar() instanceof Number number && number.doubleValue() >= 0 && number.doubleValue() <= 10) {
            return number.doubleValue();
        }
        value.wrong("a number from 0 to 10, such as 1.1");
        return 0;
    }

    private static List<String> texts(YamlValue value) {
        List<String> texts = value.list().stream()
                .map(element -> String.valueOf(element.scalar()))
                .toList();
        if (texts.isEmpty() && value.isList()) {
            value.wrong("a list with at least one value");
        }
        return texts;
    }

    private static @Nullable Matcher between(YamlValue value) {
        Matcher matcher = BETWEEN.matcher(value.isText() ? value.text() : "");
        if (matcher.matches()) {
            return matcher;
        }
        value.wrong("a range such as 0..100 or 2026-01-01T00:00:00Z..2026-02-01T00:00:00Z");
        return null;
    }
}
