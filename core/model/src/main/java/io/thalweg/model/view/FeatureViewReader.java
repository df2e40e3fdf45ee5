package io.thalweg.model.view;

import io.thalweg.model.field.ConditionReader;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.field.FieldPaths;
import io.thalweg.model.problem.Suggestion;
import io.thalweg.model.source.EventSchemas;
import io.thalweg.model.source.Source;
import io.thalweg.model.source.SourceReader;
import io.thalweg.model.source.SourceReader.ReadSource;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads a document of kind FeatureView. */
public final class FeatureViewReader {
    static final int RING_MAX = 60;
    static final int PANES_MAX = 1440;
    static final int RESOLUTION_MIN = 0;
    static final int RESOLUTION_MAX = 15;

    private static final int RESOLUTION_DEFAULT = 9;
    private static final int SIZES_MAX = 64;
    private static final Set<String> RESERVED =
            Set.of("view", "finality", "features", "window_end", "created", "sequence");
    private static final String ONLY_KEYED = "goes with keyed views only, which have neither rings nor an h3 entity; ";
    private static final List<String> LATER = List.of("derive", "allowed_lateness", "schema");

    private final YamlMap map;
    private final Map<String, ReadSource> sources;
    private final EventSchemas schemas;
    private final boolean keyed;

    public FeatureViewReader(YamlMap map, Map<String, ReadSource> sources, EventSchemas schemas) {
        this.map = map;
        this.sources = sources;
        this.schemas = schemas;
        this.keyed = isKeyed(map);
    }

    public FeatureView read() {
        map.optional("apiVersion");
        map.optional("kind");
        LATER.forEach(map::unsupported);
        return keyed ? keyed() : withRings();
    }

    /** Returns whether the view names neither rings nor a hexagon. */
    private static boolean isKeyed(YamlMap map) {
        boolean cells =
                map.optional("entities").filter(YamlValue::isList).map(YamlValue::list).orElse(List.of()).stream()
                        .anyMatch(entity -> entity.isMap() && entity.map().has("h3"));
        return !cells && !map.has("rings");
    }

    private FeatureView keyed() {
        List<NamedMeasure> measures = NamedMeasureReader.read(map);
        @Nullable
        DurationText early = map.optional("emit").map(FeatureViewReader::early).orElse(null);
        return view((events, windows) -> new Computation.OfKeys(events, measures, windows, early));
    }

    private FeatureView withRings() {
        boolean measures = map.refused("measures", ONLY_KEYED + "write measure: {count_distinct: rider_id} here");
        map.refused("emit", ONLY_KEYED + "remove it");
        Measure measure = (measures ? map.optional("measure") : map.required("measure", "{count_distinct: rider_id}"))
                .map(FeatureViewReader::measure)
                .orElse(new Measure.Count());
        List<Integer> rings = rings();
        return view((events, windows) -> new Computation.OfRings(events, measure, rings, windows));
    }

    private FeatureView view(BiFunction<EventInput, Windows, Computation> computation) {
        ReadSource read = map.required("source", "{topic: rider-events}")
                .map(this::source)
                .orElse(placeholder());
        Source source = read.source();
        Windows windows = map.required("windows", "{sizes: [1m, 2m], every: 1m}")
                .map(FeatureViewReader::windows)
                .orElse(null);
        EventInput events = new EventInput(
                source,
                map.optional("lookup").map(LookupReader::read).orElse(List.of()),
                map.optional("where").map(ConditionReader::readAll).orElse(List.of()),
                deadLetters(source),
                failOnBadEvent(map),
                read.fields() == null ? Map.of() : new SchemaCheck(read.fields(), source).types(map, keyed));
        FeatureView view = new FeatureView(
                map.required("name", "demand").map(YamlValue::name).orElse(""),
                map.optional("version")
                        .map(version -> version.integer(1, Integer.MAX_VALUE))
                        .orElse(1),
                map.optional("description").map(YamlValue::text).orElse(""),
                map.required(
                                "entities",
                                keyed
                                        ? "[{name: campaign, field: campaign_id}]"
                                        : "[{name: cell, h3: {lat: lat, lng: lng}}]")
                        .map(entities -> entities(entities, keyed))
                        .orElse(List.of()),
                computation.apply(events, windows == null ? new Windows(List.of(), DurationText.parse("1m")) : windows),
                sink(source),
                online(windows));
        FeatureView logged = withOffline(view, map);
        map.close();
        return logged;
    }

    /** Returns a view with what its definition has as {@code offline}. */
    public static FeatureView withOffline(FeatureView view, YamlMap map) {
        return view.withOffline(map.optional("offline")
                .map(value -> OfflineReader.read(value, view))
                .orElse(null));
    }

    private static ReadSource placeholder() {
        Source source = new Source(
                List.of("?"),
                "default",
                new Source.Start(Source.Start.Kind.LOOKBACK, null),
                Source.Format.JSON,
                new Source.EventTime(null, Source.TimeUnit.MS),
                DurationText.parse("10s"),
                DurationText.parse("30s"),
                DurationText.parse("1m"));
        return new ReadSource(source, null);
    }

    private ReadSource source(YamlValue value) {
        if (!value.isText()) {
            if (!value.isMap()) {
                value.wrong("a source such as {topic: rider-events} or the name of one");
                return placeholder();
            }
            return new SourceReader(value.map(), schemas).read();
        }
        ReadSource named = sources.get(value.text());
        if (named == null) {
            value.problem(
                    "no source is named '" + value.text() + "'; " + Suggestion.hint(value.text(), sources.keySet())
                            + " (a document of kind: Source, loaded together with the view)");
            return placeholder();
        }
        return named;
    }

    public static List<Entity> entities(YamlValue value, boolean keyed) {
        List<Entity> entities = new ArrayList<>();
        Set<String> names = new TreeSet<>();
        for (YamlValue element : value.list()) {
            YamlMap map = element.map();
            String name = map.required("name", "cell")
                    .map(FeatureViewReader::entityName)
                    .orElse("");
            if (!name.isEmpty() && !names.add(name)) {
                map.key("name").problem("another entity is named " + name + " too; rename one");
            }
            Optional<YamlValue> h3 = map.optional("h3");
            entities.add(h3.isPresent() ? cell(name, h3.get(), map) : field(name, map));
            map.close();
        }
        long cells = entities.stream().filter(Entity.Cell.class::isInstance).count();
        if (value.isList() && keyed && entities.isEmpty()) {
            value.wrong("a list with at least one entity");
        }
        if (value.isList() && !keyed && cells != 1) {
            value.problem(
                    "must have exactly one h3 entity such as {name: cell, h3: {lat: lat, lng: lng}}, had " + cells);
        }
        return entities;
    }

    private static DurationText early(YamlValue value) {
        YamlMap map = value.map();
        DurationText early =
                map.required("early", "1s").map(YamlValue::positiveDuration).orElse(DurationText.parse("1s"));
        map.close();
        return early;
    }

    private static String entityName(YamlValue value) {
        String name = value.name();
        if (RESERVED.contains(name)) {
            value.wrong(
                    "a name other than " + String.join(", ", new TreeSet<>(RESERVED)) + ", which rows use themselves");
        }
        return name;
    }

    private static Entity cell(String name, YamlValue value, YamlMap entity) {
        for (String key : List.of("field", "type")) {
            if (entity.has(key)) {
                entity.key(key).problem("does not go with h3; remove one of them");
            }
        }
        YamlMap map = value.map();
        @Nullable FieldPath lat = map.optional("lat").map(FieldPaths::read).orElse(null);
        @Nullable FieldPath lng = map.optional("lng").map(FieldPaths::read).orElse(null);
        @Nullable FieldPath cell = map.optional("cell").map(FieldPaths::read).orElse(null);
        boolean coordinates = lat != null && lng != null && cell == null;
        boolean ready = lat == null && lng == null && cell != null;
        if (value.isMap() && !coordinates && !ready) {
            value.wrong("either {lat: lat, lng: lng} or {cell: h3_field}");
        }
        int resolution = map.optional("resolution")
                .map(number -> number.integer(RESOLUTION_MIN, RESOLUTION_MAX))
                .orElse(RESOLUTION_DEFAULT);
        map.close();
        return new Entity.Cell(name, lat, lng, cell, resolution);
    }

    private static Entity field(String name, YamlMap map) {
        return new Entity.Field(
                name,
                map.required("field", "product_id").map(FieldPaths::read).orElse(FieldPaths.UNKNOWN),
                map.optional("type").map(type -> type.oneOf(ValueType.class)).orElse(ValueType.STRING));
    }

    private static Measure measure(YamlValue value) {
        YamlMap map = value.map();
        boolean later = Stream.of("name", "where", "per", "sum", "min", "max", "mean")
                        .filter(key -> map.refused(key, ONLY_KEYED + "use count_distinct or count here"))
                        .count()
                > 0;
        Optional<YamlValue> distinct = map.optional("count_distinct");
        Optional<YamlValue> count = map.optional("count");
        Optional<YamlValue> type = map.optional("type");
        map.close();
        if (value.isMap() && !later && distinct.isPresent() == count.isPresent()) {
            value.wrong("either {count_distinct: rider_id} or {count: all}");
        }
        if (count.isPresent()) {
            if (!count.get().isText() || !count.get().text().equals("all")) {
                count.get().wrong("all");
            }
            type.ifPresent(given -> map.key("type").problem("does not go with count; remove it"));
            return new Measure.Count();
        }
        ValueType identity = type.map(given -> given.oneOf(ValueType.class)).orElse(ValueType.STRING);
        if (identity == ValueType.BOOL) {
            type.ifPresent(given -> given.wrong("one of string, int64, uuid"));
        }
        return new Measure.CountDistinct(distinct.map(FieldPaths::read).orElse(FieldPaths.UNKNOWN), identity);
    }

    private List<Integer> rings() {
        if (!map.has("rings")) {
            map.self()
                    .problemAt(
                            "rings",
                            "is required with an h3 entity, such as rings: [0]; a keyed view has neither: "
                                    + "it takes the cell's index from a field, {name: cell, field: cell}");
            return List.of(0);
        }
        return map.optional("rings").map(FeatureViewReader::rings).orElse(List.of(0));
    }

    private static List<Integer> rings(YamlValue value) {
        int before = value.problems().count();
        List<Integer> rings =
                value.list().stream().map(ring -> ring.integer(0, RING_MAX)).toList();
        if (value.problems().count() == before) {
            ascending(
                    value,
                    rings,
                    new TreeSet<>(rings).stream().map(String::valueOf).toList());
        }
        return rings;
    }

    /** Checks that values are ascending and distinct; {@code sorted} contains the distinct values in order, as text. */
    private static void ascending(YamlValue value, List<? extends Comparable<?>> values, List<String> sorted) {
        if (values.isEmpty()) {
            value.wrong("a list with at least one value");
        } else if (!values.stream().map(String::valueOf).toList().equals(sorted)) {
            value.wrong("ascending and without repeats: [" + String.join(", ", sorted) + "]");
        }
    }

    private static @Nullable Windows windows(YamlValue value) {
        int before = value.problems().count();
        YamlMap map = value.map();
        map.unsupported("allowed_lateness");
        DurationText every =
                map.required("every", "1m").map(YamlValue::positiveDuration).orElse(DurationText.parse("1m"));
        boolean everyKnown = value.problems().count() == before;
        Optional<YamlValue> sizes = map.required("sizes", "[1m, 2m, 4m]");
        map.close();
        List<DurationText> read = new ArrayList<>();
        for (YamlValue size : sizes.map(YamlValue::list).orElse(List.of())) {
            int unread = value.problems().count();
            DurationText duration = size.positiveDuration();
            read.add(duration);
            if (everyKnown && value.problems().count() == unread) {
                size(size, duration, every);
            }
        }
        if (value.problems().count() == before && sizes.isPresent()) {
            order(sizes.get(), read);
        }
        return value.problems().count() == before ? new Windows(read, every) : null;
    }

    private static void size(YamlValue value, DurationText size, DurationText every) {
        if (size.millis() % every.millis() != 0) {
            long panes = Math.max(1, size.millis() / every.millis());
            value.wrong("a whole multiple of windows.every (" + every.text() + "), nearest below: "
                    + DurationText.shown(panes * every.millis()));
        } else if (size.millis() / every.millis() > PANES_MAX) {
            value.wrong("at most " + PANES_MAX + " times windows.every (" + every.text() + ")");
        }
    }

    private static void order(YamlValue value, List<DurationText> sizes) {
        List<Long> millis = sizes.stream().map(DurationText::millis).toList();
        List<Long> sorted = new ArrayList<>(new TreeSet<>(millis));
        if (sizes.isEmpty() || sizes.size() > SIZES_MAX) {
            value.wrong("a list of 1 to " + SIZES_MAX + " sizes");
        } else if (!millis.equals(sorted)) {
            List<String> remedy = sorted.stream()
                    .map(wanted -> sizes.get(millis.indexOf(wanted)).text())
                    .toList();
            value.wrong("ascending and without repeats: [" + String.join(", ", remedy) + "]");
        }
    }

    private String deadLetters(Source source) {
        Optional<YamlValue> value = map.optional("dead_letters");
        String standard = source.topics().get(0) + "-dead";
        if (value.isEmpty()) {
            if (!SourceReader.isTopic(standard)
                    && SourceReader.isTopic(source.topics().get(0))) {
                map.self().problemAt("dead_letters", "is required, as " + standard + " is too long for a topic");
            }
            return standard;
        }
        YamlMap letters = value.get().map();
        String topic = letters.required("topic", "rider-events-dead")
                .map(name -> topicThatIsNotRead(name, source))
                .orElse(standard);
        letters.close();
        return topic;
    }

    /** Reads a sink topic, which must differ from the topics that the view reads. */
    private static String topicThatIsNotRead(YamlValue value, Source source) {
        String topic = SourceReader.topic(value);
        if (source.topics().contains(topic)) {
            value.wrong("a topic that the view does not read itself");
        }
        return topic;
    }

    public static boolean failOnBadEvent(YamlMap map) {
        return map.optional("on_bad_event")
                        .map(value -> value.oneOf(OnBadEvent.class))
                        .orElse(OnBadEvent.DEAD_LETTER)
                == OnBadEvent.FAIL;
    }

    private enum OnBadEvent {
        DEAD_LETTER,
        FAIL
    }

    private @Nullable SinkSpec sink(Source source) {
        return map.optional("sink").map(value -> sink(value, source)).orElse(null);
    }

    private SinkSpec sink(YamlValue value, Source source) {
        YamlMap map = value.map();
        SinkSpec sink = new SinkSpec(
                map.required("topic", "demand-features")
                        .map(topic -> topicThatIsNotRead(topic, source))
                        .orElse("?"),
                map.optional("kafka").map(SourceReader::cluster).orElse("default"),
                map.optional("format").map(this::sinkFormat).orElse(SinkSpec.Format.PACKED),
                map.optional("delivery")
                        .map(delivery -> delivery.oneOf(SinkSpec.Delivery.class))
                        .orElse(SinkSpec.Delivery.AT_LEAST_ONCE));
        map.close();
        return sink;
    }

    private SinkSpec.Format sinkFormat(YamlValue value) {
        SinkSpec.Format format = value.oneOf(SinkSpec.Format.class);
        if (keyed && format == SinkSpec.Format.AVRO) {
            value.problem("avro is not supported for views without rings in this version; use json or packed");
        }
        return format;
    }

    private Online online(@Nullable Windows windows) {
        DurationText ttl = DurationText.parse("10m");
        Optional<YamlValue> value = map.optional("online");
        if (value.isEmpty()) {
            return new Online(ttl, null);
        }
        YamlMap online = value.get().map();
        Online.Layout layout = layout(online);
        if (layout.isFeast() && online.has("history")) {
            online.key("history")
                    .problem("does not go with layout: " + layout.text()
                            + ", which keeps the newest row only; remove it, or use layout: packed");
        }
        Online read = new Online(
                online.optional("ttl")
                        .map(given -> atLeastEvery(given, windows))
                        .orElse(ttl),
                online.optional("history")
                        .map(given -> atLeastEvery(given, windows))
                        .orElse(null),
                layout);
        online.close();
        return read;
    }

    public static Online.Layout layout(YamlMap online) {
        return online.optional("layout").map(FeatureViewReader::layout).orElse(Online.Layout.PACKED);
    }

    private static Online.Layout layout(YamlValue value) {
        List<Online.Layout> layouts = List.of(Online.Layout.values());
        List<String> names = layouts.stream().map(Online.Layout::text).toList();
        int index = value.isText() ? names.indexOf(value.text()) : -1;
        if (index < 0) {
            value.wrong("one of " + String.join(", ", names));
        }
        return layouts.get(Math.max(0, index));
    }

    private static DurationText atLeastEvery(YamlValue value, @Nullable Windows windows) {
        int before = value.problems().count();
        DurationText duration = value.positiveDuration();
        if (value.problems().count() == before
                && windows != null
                && duration.millis() < windows.every().millis()) {
            value.wrong("at least windows.every (" + windows.every().text() + ")");
        }
        return duration;
    }
}
