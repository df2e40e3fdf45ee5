package io.thalweg.cli.sample;

import io.thalweg.formats.ContainerSchema;
import io.thalweg.model.Definitions;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.source.EventSchemas;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.runner.UserError;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Proposes a keyed view for a file of events: its event time, one entity, one measure of each kind, and windows that fit the time
 * span of the events. A comment gives the evidence for each choice.
 *
 * <p><b>Threads.</b> One.
 */
public final class ViewProposal {
    /** How many events of the file are read. */
    public static final int EVENTS_MAX = 100_000;

    private static final Pattern TIME_NAME = Pattern.compile(
            "(?i)(.*[._])?(ts|time|timestamp|date|datetime|event_?time|created_?at|occurred_?at)|.*(_at|_ts|_time)");
    private static final Pattern ID_NAME = Pattern.compile("(?i)(.*[._])?(id|uuid|key)|.*(_id|_uuid|_key|[a-z]Id)");
    private static final Pattern PLACE_NAME = Pattern.compile("(?i)(.*[._])?(lat|latitude|lng|lon|long|longitude)");
    /** Safe in a flow mapping of YAML without quotes. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z_$][A-Za-z0-9_.$-]*");
    /** Names that end a row's own columns. */
    private static final List<String> RESERVED =
            List.of("view", "finality", "features", "window_end", "created", "sequence");

    private static final List<Windowing> WINDOWS = List.of(
            new Windowing(Duration.ofHours(2), "1m", "5m, 1h", "1h"),
            new Windowing(Duration.ofDays(3), "10m", "1h, 1d", "1d"),
            new Windowing(Duration.ofDays(45), "1h", "1d, 7d", "7d"),
            new Windowing(Duration.ofDays(Long.MAX_VALUE / 86_400), "1d", "7d, 30d", "30d"));

    private final EventSample sample;
    private final List<SampledField> fields;
    private final String name;
    private final StringBuilder yaml = new StringBuilder();

    /** The windows for events that span at most some time. */
    private record Windowing(Duration span, String every, String sizes, String ttl) {}

    /**
     * The proposal.
     *
     * @param text the definition
     * @param schema the file that it names as its schema; null if it names none
     * @param view what it defines
     * @param summary one line for people
     */
    public record Proposed(String text, @Nullable Schema schema, FeatureView view, String summary) {}

    /** A schema, and the name of its file beside the definition. */
    public record Schema(String file, String text) {}

    private ViewProposal(EventSample sample) {
        this.sample = sample;
        this.name = viewName(sample.file());
        this.fields = sample.fields().stream().filter(ViewProposal::canBeNamed).toList();
    }

    /**
     * Reads a sample of JSON lines, CSV, Parquet or Avro and proposes a view.
     *
     * @throws UserError if it cannot be read, or no field can be the event time or an entity
     */
    public static Proposed of(Path file) {
        return new ViewProposal(EventSample.of(file)).proposed();
    }

    private static boolean canBeNamed(SampledField field) {
        try {
            FieldPath.parse(field.path());
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static String viewName(Path file) {
        String stem = String.valueOf(file.getFileName()).replaceFirst("[.].*", "");
        return identifier(stem, "events");
    }

    /** Returns a text as the name of a view, an entity or a measure. */
    private static String identifier(String text, String otherwise) {
        String name = text.replaceAll("([a-z0-9])([A-Z])", "$1_$2")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9]+", "_")
                .replaceAll("^[_0-9]+|_+$", "");
        return name.isEmpty()
                ? otherwise
                : name.length() > 60 ? name.substring(0, 60).replaceAll("_+$", "") : name;
    }

    private Proposed proposed() {
        SampledField time = time();
        TimeUnitGuess unit = Objects.requireNonNull(time.unit());
        SampledField entity = entity(time);
        SampledField.Times times = time.times();
        head();
        source(time, unit, times);
        entity(entity, time);
        measures(entity, time);
        windows(times);
        String text = yaml.toString();
        FeatureView view = Definitions.parse(text, name + ".yaml").views().get(0);
        ContainerSchema schema = sample.schema();
        return new Proposed(
                text,
                schema == null ? null : new Schema(schemaFile(), schema.json() + "\n"),
                view,
                "view %s: %d features per %s, from %,d events"
                        .formatted(
                                name,
                                view.featureNames().size(),
                                view.entities().get(0).name(),
                                sample.events()));
    }

    /** Returns the field that all events have, of times in one unit, whose name says most that it is one. */
    private SampledField time() {
        return fields.stream()
                .filter(field -> field.unit() != null && field.values() == sample.events())
                .max(Comparator.comparing((SampledField field) ->
                                TIME_NAME.matcher(field.path()).matches())
                        .thenComparing(field -> !field.is(SampledField.Kind.INTEGER) && !field.isNumberText())
                        .thenComparing(field -> -fields.indexOf(field)))
                .orElseThrow(() -> UserError.usage(
                        "no field of " + sample.file()
                                + " is a time in every event: a whole number of s, ms, us or ns between 2000 and 2100, or text such as 2026-01-01T18:00:00Z; the fields are "
                                + names(fields),
                        "add one, or write the view yourself: thalweg init"));
    }

    private SampledField entity(SampledField time) {
        Predicate<SampledField> repeats = field -> 2L * field.distinct() <= field.values();
        return keys(time).stream()
                .filter(repeats)
                .max(Comparator.comparing((SampledField field) ->
                                ID_NAME.matcher(field.path()).matches())
                        .thenComparing(SampledField::values)
                        .thenComparing(SampledField::distinct))
                .or(() -> keys(time).stream().max(Comparator.comparing(SampledField::values)))
                .orElseThrow(() -> UserError.usage(
                        "no field of " + sample.file()
                                + " can be a key: text, a whole number or a boolean; the fields are " + names(fields),
                        "add one, or write the view yourself: thalweg init"));
    }

    /** Returns the fields that may identify something. */
    private List<SampledField> keys(SampledField time) {
        return fields.stream()
                .filter(field -> field != time && field.unit() == null && field.values() > 0)
                .filter(field -> !isDateOrTime(field))
                .filter(field -> !field.isAmount()
                        || (field.is(SampledField.Kind.INTEGER)
                                && ID_NAME.matcher(field.path()).matches()))
                .toList();
    }

    /** Returns the number that is measured: not an id and not a coordinate, of those with the most different values. */
    private Optional<SampledField> amount(SampledField time) {
        return fields.stream()
                .filter(field -> field != time && field.unit() == null && field.isAmount() && !isDateOrTime(field))
                .filter(field -> !ID_NAME.matcher(field.path()).matches()
                        && !PLACE_NAME.matcher(field.path()).matches())
                .max(Comparator.comparing((SampledField field) -> field.values() == sample.events())
                        .thenComparing(field -> !field.isNumberText())
                        .thenComparing(SampledField::distinct));
    }

    /** Whether a field is a number only because its schema counts days or microseconds. */
    private boolean isDateOrTime(SampledField field) {
        return switch (kind(field)) {
            case DATE, TIME, TIMESTAMP, LOCAL_TIMESTAMP -> true;
            default -> false;
        };
    }

    /** Returns the kind that the schema of the file declares; nested if it has no schema. */
    private EventSchemas.Kind kind(SampledField field) {
        ContainerSchema schema = sample.schema();
        return schema == null
                ? EventSchemas.Kind.NESTED
                : schema.fields().getOrDefault(FieldPath.parse(field.path()), EventSchemas.Kind.NESTED);
    }

    private String schemaFile() {
        return name + ".avsc";
    }

    private void head() {
        line("# A view proposed from %s: %,d events. Check the comments, then: thalweg run %s.yaml --input %s"
                .formatted(sample.file().getFileName(), sample.events(), name, sample.file()));
        line("apiVersion: thalweg/v1");
        line("kind: FeatureView");
        line("name: " + name);
        line("version: 1");
    }

    private void source(SampledField time, TimeUnitGuess unit, SampledField.Times times) {
        line("source:");
        boolean isCsv = sample.format() == Source.Format.CSV;
        line("  topic: " + name + "   # "
                + (isCsv ? "a name: csv is read from files, Kafka has no header" : "of a run over Kafka"));
        line("  format: " + sample.format().text()
                + (sample.isTyped() ? "   # of events in Kafka; Parquet files are read by their columns" : ""));
        if (sample.schema() != null) {
            line("  schema: {file: %s}   # copied from the file".formatted(schemaFile()));
        }
        List<String> texts = Stream.concat(Stream.of(time), amount(time).stream())
                .filter(SampledField::isNumberText)
                .map(SampledField::path)
                .toList();
        if (!texts.isEmpty()) {
            line("  numbers: lenient   # text that is a number is read as one: " + String.join(", ", texts));
        }
        EventSchemas.Kind kind = kind(time);
        boolean isLocal = unit == TimeUnitGuess.ISO_LOCAL || kind == EventSchemas.Kind.LOCAL_TIMESTAMP;
        String zone = isLocal ? ", zone: UTC" : "";
        String assumed = isLocal ? "; without an offset, UTC is assumed" : "";
        line("  event_time: {field: %s%s%s}   # %s to %s%s"
                .formatted(
                        quoted(time.path()),
                        isDateOrTime(time) ? "" : ", unit: " + unit.text(),
                        zone,
                        Instant.ofEpochMilli(times.firstMs()),
                        Instant.ofEpochMilli(times.lastMs()),
                        assumed));
        line("  max_out_of_orderness: %s   # events are up to %s behind the latest before them"
                .formatted(outOfOrderness(times.behindMs()), shown(times.behindMs())));
    }

    private void entity(SampledField entity, SampledField time) {
        String others = keys(time).stream()
                .filter(field -> field != entity)
                .map(field -> field.path() + " (" + distinct(field) + ")")
                .collect(Collectors.joining(", "));
        line("entities:");
        line("  - {name: %s, field: %s, type: %s}   # %s different values%s%s"
                .formatted(
                        entityName(entity),
                        quoted(entity.path()),
                        entity.keyType(),
                        distinct(entity),
                        entity.values() == sample.events()
                                ? ""
                                : ", missing in %,d events".formatted(sample.events() - entity.values()),
                        others.isEmpty() ? "" : "; others: " + others));
        if (fields.stream().anyMatch(field -> PLACE_NAME.matcher(field.path()).matches())) {
            line("  # Events have coordinates: a view with rings counts them per hexagon, see examples/demand.yaml.");
        }
    }

    private static String entityName(SampledField entity) {
        String stem = entity.path().replaceFirst("(?i)[._]?(id|uuid|key)\"?$", "");
        String name = identifier(stem.replaceFirst(".*[.]", ""), identifier(entity.path(), "key"));
        return RESERVED.contains(name) ? name + "_key" : name;
    }

    private static String distinct(SampledField field) {
        return (field.distinct() == SampledField.DISTINCT_MAX ? "at least " : "") + "%,d".formatted(field.distinct());
    }

    private void measures(SampledField entity, SampledField time) {
        line("measures:");
        line("  - {name: count, count: all}");
        amount(time).ifPresent(amount -> {
            String type = amount.is(SampledField.Kind.INTEGER) ? ", type: int64" : "";
            String where = amount.values() == sample.events()
                    ? ""
                    : ", where: {%s: {exists: true}}".formatted(quoted(amount.path()));
            String of = identifier(amount.path(), "value");
            String evidence = "   # %s to %s%s"
                    .formatted(
                            plain(amount.least()),
                            plain(amount.greatest()),
                            where.isEmpty()
                                    ? ""
                                    : ", missing in %,d events".formatted(sample.events() - amount.values()));
            for (String function : List.of("sum", "mean", "min", "max")) {
                String typed = function.equals("mean") ? "" : type;
                line("  - {name: %s_%s, %s: %s%s%s}%s"
                        .formatted(function, of, function, quoted(amount.path()), typed, where, evidence));
                evidence = "";
            }
        });
        keys(time).stream()
                .filter(field -> field != entity && field.distinct() > 1 && field.values() == sample.events())
                .filter(field -> !field.is(SampledField.Kind.BOOL))
                .max(Comparator.comparing((SampledField field) -> 2L * field.distinct() <= field.values())
                        .thenComparing(field -> ID_NAME.matcher(field.path()).matches())
                        .thenComparing(SampledField::distinct))
                .ifPresent(field -> line("  - {name: distinct_%s, count_distinct: %s, type: %s}   # %s different values"
                        .formatted(
                                identifier(field.path(), "value"),
                                quoted(field.path()),
                                field.keyType(),
                                distinct(field))));
    }

    private void windows(SampledField.Times times) {
        Duration span = Duration.ofMillis(times.lastMs() - times.firstMs());
        Windowing windows = WINDOWS.stream()
                .filter(each -> span.compareTo(each.span()) <= 0)
                .findFirst()
                .orElseThrow();
        line("windows: {sizes: [%s], every: %s}   # the events span %s"
                .formatted(windows.sizes(), windows.every(), shown(span.toMillis())));
        line("online: {ttl: %s}".formatted(windows.ttl()));
    }

    /** Returns the lateness that is allowed: at least 10 s, rounded up to a duration that people write. */
    private static String outOfOrderness(long behindMs) {
        for (String text : List.of("10s", "30s", "1m", "5m", "10m", "30m", "1h", "6h", "12h")) {
            if (behindMs <= DurationText.parse(text).millis()) {
                return text;
            }
        }
        return (behindMs / Duration.ofDays(1).toMillis() + 1) + "d";
    }

    private static String shown(long ms) {
        return DurationText.shown(ms < 60_000 ? ms : ms / 1_000 * 1_000);
    }

    private static String plain(double number) {
        return number == Math.rint(number) && Math.abs(number) < 1e15
                ? String.valueOf((long) number)
                : String.valueOf(number);
    }

    private static String quoted(String path) {
        return PLAIN.matcher(path).matches() ? path : "'" + path.replace("'", "''") + "'";
    }

    private static String names(List<SampledField> fields) {
        return fields.stream().map(SampledField::path).collect(Collectors.joining(", "));
    }

    private void line(String text) {
        yaml.append(text).append('\n');
    }
}
