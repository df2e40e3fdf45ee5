package io.thalweg.model.ingest;

import io.thalweg.model.field.Condition;
import io.thalweg.model.field.ConditionReader;
import io.thalweg.model.field.FieldPath;
import io.thalweg.model.field.FieldPaths;
import io.thalweg.model.ingest.Ingest.Column;
import io.thalweg.model.ingest.Ingest.Compact;
import io.thalweg.model.ingest.Ingest.DeadLetters;
import io.thalweg.model.ingest.Ingest.Envelope;
import io.thalweg.model.ingest.Ingest.FileCompression;
import io.thalweg.model.ingest.Ingest.Files;
import io.thalweg.model.ingest.Ingest.Format;
import io.thalweg.model.ingest.Ingest.Framing;
import io.thalweg.model.ingest.Ingest.From;
import io.thalweg.model.ingest.Ingest.IcebergSink;
import io.thalweg.model.ingest.Ingest.Input;
import io.thalweg.model.ingest.Ingest.Limits;
import io.thalweg.model.ingest.Ingest.MaxBad;
import io.thalweg.model.ingest.Ingest.OnLost;
import io.thalweg.model.ingest.Ingest.ParquetSink;
import io.thalweg.model.ingest.Ingest.PartitionBy;
import io.thalweg.model.ingest.Ingest.PartitionKind;
import io.thalweg.model.ingest.Ingest.PubSub;
import io.thalweg.model.ingest.Ingest.RowOptions;
import io.thalweg.model.ingest.Ingest.SchemaChange;
import io.thalweg.model.ingest.Ingest.Sink;
import io.thalweg.model.ingest.Ingest.TableFiles;
import io.thalweg.model.ingest.Ingest.Topic;
import io.thalweg.model.ingest.Ingest.TopicSink;
import io.thalweg.model.ingest.Ingest.Transform;
import io.thalweg.model.ingest.Ingest.UnknownFields;
import io.thalweg.model.source.SchemaReader;
import io.thalweg.model.source.Source;
import io.thalweg.model.source.SourceReader;
import io.thalweg.model.view.FeatureViewReader;
import io.thalweg.model.view.SinkSpec;
import io.thalweg.model.yaml.DurationText;
import io.thalweg.model.yaml.SiblingPaths;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads a document of kind Ingest. */
public final class IngestReader {
    private static final int MIB = 1 << 20;
    private static final int LARGEST_MESSAGE = 10 * MIB;
    /** Readers recurse; a compiled level takes up to 1.5 KiB of stack. */
    private static final int DEEPEST = 128;

    private static final Limits STANDARD = new Limits(MIB, 16 * MIB, 100, 64);
    private static final String PARTITION_FORMS =
            "a list of columns and of {year: C}, {month: C}, {day: C}, {hour: C} or {bucket: {N: C}}, such as [{hour: ts}, city]";
    private static final String ONE_SOURCE = "exactly one of topic, pubsub and files, such as topic: rides";

    private final YamlMap map;

    public IngestReader(YamlMap map) {
        this.map = map;
    }

    public Ingest read() {
        map.optional("apiVersion");
        map.optional("kind");
        String name = map.required("name", "ride_events").map(YamlValue::name).orElse("");
        Input input = input();
        Optional<YamlMap> sink = map.required("sink", "{parquet: rides/}").map(YamlValue::map);
        RowOptions rows = sink.map(IngestReader::rows).orElse(new RowOptions(false, false));
        Ingest read = new Ingest(
                name,
                map.optional("version")
                        .map(version -> version.integer(1, Integer.MAX_VALUE))
                        .orElse(1),
                map.optional("description").map(YamlValue::text).orElse(""),
                input,
                map.optional("where").map(IngestReader::where).orElse(List.of()),
                map.optional("fields").map(IngestReader::columns).orElse(List.of(new Column("", null))),
                map.optional("exclude").map(IngestReader::excluded).orElse(List.of()),
                map.optional("transform").map(IngestReader::transform).orElse(null),
                sink.map(given -> sink(given, input.from()))
                        .orElseGet(() -> new ParquetSink(
                                "?", DurationText.parse("1m"), new TableFiles(MIB, FileCompression.ZSTD, List.of()))),
                rows,
                deadLetters(name, input.from()),
                map.optional("max_bad").map(IngestReader::maxBad).orElse(null),
                FeatureViewReader.failOnBadEvent(map),
                map.optional("generate").map(GenerateReader::read).orElse(Generate.DEFAULT));
        requireOwnTopic(read);
        map.close();
        return read;
    }

    private void requireOwnTopic(Ingest read) {
        if (read.input().from() instanceof Topic from
                && read.sink() instanceof TopicSink sink
                && from.kafka().equals(sink.kafka())
                && read.deadLetters().topic().equals(sink.topic())) {
            map.key("sink").problem("topic must not be dead_letters.topic, " + sink.topic() + "; name another topic");
        }
    }

    private Input input() {
        YamlMap source = map.required("source", "{topic: rides, format: json, schema: {file: rides.json}}")
                .map(YamlValue::map)
                .orElse(null);
        if (source == null) {
            return new Input(new Files("?"), null, Format.JSON, SchemaReader.NONE, Envelope.NONE, STANDARD);
        }
        refuseKeysOfViews(source);
        From from = from(source);
        Format format = source.required("format", "thrift")
                .map(value -> value.oneOf(Format.class))
                .orElse(Format.JSON);
        Input input = new Input(
                from,
                source.optional("framing")
                        .map(value -> value.oneOf(Framing.class))
                        .orElse(null),
                format,
                SchemaReader.read(source, format.text()),
                source.optional("envelope")
                        .map(value -> EnvelopeReader.read(value, format, from))
                        .orElse(Envelope.NONE),
                source.optional("limits").map(IngestReader::limits).orElse(STANDARD));
        if (input.framing() == Framing.AVRO_CONTAINER && format != Format.AVRO) {
            source.key("framing").problem("avro_container goes with format: avro only, was " + format.text());
        }
        source.close();
        return input;
    }

    /** Refuses keys of feature views: ingestion neither waits for watermarks nor keeps windows. */
    private static void refuseKeysOfViews(YamlMap source) {
        for (String key : List.of("max_out_of_orderness", "idle_after", "max_future", "event_time", "numbers")) {
            source.refused(
                    key, "belongs to sources of feature views; an ingest keeps events whatever their time, remove it");
        }
    }

    private static From from(YamlMap source) {
        if (Stream.of("topic", "pubsub", "files").filter(source::has).count() != 1) {
            source.self().wrong(ONE_SOURCE);
        }
        if (source.has("pubsub") && !source.has("topic") && !source.has("files")) {
            return PubSubReader.read(source);
        }
        PubSubReader.KEYS.forEach(key -> source.refused(key, "goes with pubsub only; remove it"));
        source.optional("pubsub");
        String kafka = source.optional("kafka").map(SourceReader::cluster).orElse("default");
        Source.Start start = source.optional("start")
                .map(IngestReader::start)
                .orElse(new Source.Start(Source.Start.Kind.EARLIEST, null));
        OnLost onLost = source.optional("on_lost_records")
                .map(value -> value.oneOf(OnLost.class))
                .orElse(OnLost.FAIL);
        From files = source.optional("files")
                .map(value -> (From) new Files(SiblingPaths.readLocal(value)))
                .orElse(new Files("?"));
        return source.optional("topic")
                .map(value -> (From) new Topic(SourceReader.topic(value), kafka, start, onLost))
                .orElse(files);
    }

    private static Source.Start start(YamlValue value) {
        if (value.isText() && value.text().equals("lookback")) {
            value.wrong("earliest, latest or a time such as 2026-01-01T00:00:00Z");
        }
        return SourceReader.start(value);
    }

    private static Limits limits(YamlValue value) {
        YamlMap limits = value.map();
        Limits read = new Limits(
                limits.optional("message")
                        .map(size -> (int) size.bytes(1, LARGEST_MESSAGE))
                        .orElse(STANDARD.message()),
                limits.optional("inflated")
                        .map(size -> (int) size.bytes(1, 1 << 30))
                        .orElse(STANDARD.inflated()),
                limits.optional("ratio")
                        .map(ratio -> ratio.integer(1, Integer.MAX_VALUE))
                        .orElse(STANDARD.ratio()),
                limits.optional("depth").map(depth -> depth.integer(1, DEEPEST)).orElse(STANDARD.depth()));
        limits.close();
        return read;
    }

    private static List<Condition> where(YamlValue value) {
        List<Condition> where = ConditionReader.readAll(value);
        for (Condition condition : where) {
            if (condition.field().isRecordField()) {
                value.problem(
                        condition.field().text() + " is not supported here in this version; use fields of the event");
            }
        }
        return where;
    }

    private static List<Column> columns(YamlValue value) {
        List<Column> columns = new ArrayList<>();
        Set<String> names = new TreeSet<>();
        for (YamlValue element : value.list()) {
            Column column = column(element);
            if (!FieldPaths.UNKNOWN.equals(column.path()) && !names.add(column.name())) {
                element.problem(
                        column.path() == null
                                ? "\"*\" is there twice; keep one"
                                : "two fields become column '" + column.name()
                                        + "'; rename one, such as {other_name: "
                                        + column.path().text() + "}");
            }
            columns.add(column);
        }
        if (columns.isEmpty() && value.isList()) {
            value.wrong("a list with at least one field, such as [\"*\"]");
        }
        return columns;
    }

    private static Column column(YamlValue element) {
        if (element.isMap()) {
            Map<String, YamlValue> entries = element.map().all();
            if (entries.size() != 1) {
                element.wrong("one column and its field, such as {rider: payload.rider.id}");
                return new Column("?", FieldPaths.UNKNOWN);
            }
            Map.Entry<String, YamlValue> entry = entries.entrySet().iterator().next();
            if (entry.getKey().isBlank()) {
                element.wrong("a column with a name, such as {rider: payload.rider.id}");
            }
            return new Column(entry.getKey(), field(entry.getValue()));
        }
        if (element.isText() && element.text().equals("*")) {
            return new Column("", null);
        }
        FieldPath path = field(element);
        return new Column(path.segments().get(path.segments().size() - 1), path);
    }

    private static List<FieldPath> excluded(YamlValue value) {
        List<FieldPath> paths = new ArrayList<>();
        value.list().forEach(element -> paths.add(field(element)));
        if (paths.isEmpty() && value.isList()) {
            value.wrong("a list with at least one field, such as [rider.photo]");
        }
        return paths;
    }

    private static FieldPath field(YamlValue value) {
        FieldPath path = FieldPaths.read(value);
        if (path.isRecordField()) {
            value.problem(path.text() + " is not supported here in this version; use fields of the event");
        }
        return path;
    }

    private static @Nullable Transform transform(YamlValue value) {
        YamlMap transform = value.map();
        String className = transform
                .required("class", "example.Trips")
                .map(IngestReader::className)
                .orElse("?");
        List<String> jars = transform
                .required("jars", "[target/trips.jar]")
                .map(IngestReader::jars)
                .orElse(List.of());
        Map<String, String> config = new LinkedHashMap<>();
        transform
                .optional("config")
                .ifPresent(given -> given.map().all().forEach((name, setting) -> config.put(name, setting(setting))));
        DurationText timeout = transform
                .optional("timeout")
                .map(IngestReader::aSecondOrMore)
                .orElseGet(() -> DurationText.parse("10m"));
        transform.close();
        return new Transform(className, jars, config, timeout);
    }

    private static String className(YamlValue value) {
        String name = value.isText() ? value.text() : "";
        if (!name.matches("[\\p{L}_$][\\p{L}\\p{N}_$]*(\\.[\\p{L}_$][\\p{L}\\p{N}_$]*)*")) {
            value.wrong("the name of a class, such as example.Trips");
            return "?";
        }
        return name;
    }

    private static List<String> jars(YamlValue value) {
        List<String> jars =
                value.listOrOne().stream().map(SiblingPaths::readLocal).toList();
        if (jars.isEmpty()) {
            value.wrong("a list with at least one jar, such as [target/trips.jar]");
        }
        return jars;
    }

    private static String setting(YamlValue value) {
        Object setting = value.scalar();
        if (setting == null) {
            value.wrong("text, a number, true or false");
        }
        return String.valueOf(setting);
    }

    private static RowOptions rows(YamlMap sink) {
        return new RowOptions(
                sink.optional("origin").map(YamlValue::bool).orElse(false),
                sink.optional("unknown_fields")
                        .filter(rule -> rule.oneOf(UnknownFields.class) == UnknownFields.DEAD_LETTER)
                        .isPresent());
    }

    private static Sink sink(YamlMap sink, From from) {
        long sinks = Stream.of("parquet", "iceberg", "bigquery", "topic")
                .filter(sink::has)
                .count();
        if (sinks != 1) {
            sink.self().wrong("exactly one of parquet, iceberg, bigquery and topic, such as parquet: rides/");
        }
        Sink read = sink.has("topic") ? TopicSinkReader.read(sink, from) : tableSink(sink);
        sink.close();
        return read;
    }

    private static Sink tableSink(YamlMap sink) {
        for (String key : TopicSinkReader.KEYS) {
            sink.refused(key, "goes with topic only; remove it");
        }
        return sink.has("bigquery") ? BigQuerySinkReader.read(sink) : fileSink(sink);
    }

    private static Sink fileSink(YamlMap sink) {
        for (String key : BigQuerySinkReader.KEYS) {
            sink.refused(key, "goes with bigquery only; remove it");
        }
        sink.optional("delivery")
                .filter(delivery -> !delivery.isText() || !delivery.text().equals("exactly_once"))
                .ifPresent(delivery -> delivery.wrong("exactly_once, which files and Iceberg tables always are"));
        return sink.has("iceberg") ? iceberg(sink) : parquet(sink);
    }

    private static MaxBad maxBad(YamlValue value) {
        YamlMap limit = value.map();
        MaxBad read = new MaxBad(
                limit.required("share", "1%").map(GenerateReader::share).orElse(1.0),
                limit.optional("within").map(YamlValue::positiveDuration).orElseGet(() -> DurationText.parse("1m")),
                limit.optional("of_at_least")
                        .map(count -> count.integer(1, Integer.MAX_VALUE))
                        .orElse(1_000));
        limit.close();
        return read;
    }

    private static ParquetSink parquet(YamlMap sink) {
        return new ParquetSink(
                sink.optional("parquet").map(IngestReader::folder).orElse("?"), every(sink, "1m"), files(sink));
    }

    private static IcebergSink iceberg(YamlMap sink) {
        TableFiles files = files(sink);
        return new IcebergSink(
                sink.optional("iceberg").map(YamlValue::tableName).orElse("?"),
                sink.optional("catalog").map(SourceReader::cluster).orElse("default"),
                every(sink, "10s"),
                files,
                sink.optional("keep_snapshots")
                        .map(IngestReader::keepSnapshots)
                        .orElseGet(() -> DurationText.parse("7d")),
                sink.optional("max_snapshots")
                        .map(count -> count.integer(100, 1_000_000))
                        .orElse(10_000),
                sink.optional("compact")
                        .map(rule -> compact(rule, files.targetFile()))
                        .orElse(null),
                sink.optional("schema_change")
                        .filter(change -> change.oneOf(SchemaChange.class) == SchemaChange.ADD_COLUMNS)
                        .isPresent());
    }

    private static Compact compact(YamlValue value, long targetFile) {
        YamlMap rule = value.map();
        Compact read = new Compact(
                rule.optional("below").map(size -> size.bytes(1, targetFile)).orElse(Math.min(64L * MIB, targetFile)),
                rule.optional("every").map(IngestReader::aSecondOrMore).orElseGet(() -> DurationText.parse("30m")));
        rule.close();
        return read;
    }

    /** Reads how long snapshots are kept. */
    private static DurationText keepSnapshots(YamlValue value) {
        DurationText keep = value.duration();
        if (keep.duration().compareTo(Duration.ofHours(1)) < 0) {
            value.wrong("a duration of at least 1h");
        }
        return keep;
    }

    /** Reads how often rows are made visible. */
    static DurationText every(YamlMap sink, String standard) {
        return sink.optional("every").map(IngestReader::aSecondOrMore).orElseGet(() -> DurationText.parse(standard));
    }

    /** Returns whether a sink that supports both guarantees is written exactly once. */
    static boolean isExactlyOnce(YamlMap sink) {
        return sink.optional("delivery")
                        .map(value -> value.oneOf(SinkSpec.Delivery.class))
                        .orElse(SinkSpec.Delivery.AT_LEAST_ONCE)
                == SinkSpec.Delivery.EXACTLY_ONCE;
    }

    /** Reads how long rows wait to be sent in a batch. */
    static DurationText linger(YamlMap sink) {
        return sink.optional("linger").map(YamlValue::positiveDuration).orElseGet(() -> DurationText.parse("50ms"));
    }

    private static TableFiles files(YamlMap sink) {
        return new TableFiles(
                sink.optional("target_file")
                        .map(size -> size.bytes(MIB, 1L << 40))
                        .orElse(256L * MIB),
                sink.optional("compression")
                        .map(codec -> codec.oneOf(FileCompression.class))
                        .orElse(FileCompression.ZSTD),
                sink.optional("partition_by").map(IngestReader::partitions).orElse(List.of()));
    }

    private static List<PartitionBy> partitions(YamlValue value) {
        List<PartitionBy> partitions = new ArrayList<>();
        for (YamlValue element : value.list()) {
            PartitionBy partition = partition(element);
            if (!FieldPaths.UNKNOWN.equals(partition.column()) && partitions.contains(partition)) {
                element.problem("is there twice; keep one");
            }
            partitions.add(partition);
        }
        if (partitions.isEmpty() && value.isList()) {
            value.wrong(PARTITION_FORMS);
        }
        return partitions;
    }

    private static PartitionBy partition(YamlValue element) {
        if (!element.isMap()) {
            return new PartitionBy(PartitionKind.VALUE, 0, field(element));
        }
        Map<String, YamlValue> entries = element.map().all();
        if (entries.size() == 1) {
            Map.Entry<String, YamlValue> only = entries.entrySet().iterator().next();
            String name = only.getKey();
            if (List.of("year", "month", "day", "hour").contains(name)) {
                return new PartitionBy(PartitionKind.valueOf(name.toUpperCase(Locale.ROOT)), 0, field(only.getValue()));
            }
            if (name.equals("bucket")) {
                return bucket(only.getValue());
            }
        }
        element.wrong(PARTITION_FORMS);
        return new PartitionBy(PartitionKind.VALUE, 0, FieldPaths.UNKNOWN);
    }

    private static PartitionBy bucket(YamlValue value) {
        Map<String, YamlValue> entries = value.isMap() ? value.map().all() : Map.of();
        if (entries.size() == 1) {
            Map.Entry<String, YamlValue> only = entries.entrySet().iterator().next();
            if (only.getKey().matches("[1-9][0-9]{0,3}")) {
                return new PartitionBy(PartitionKind.BUCKET, Integer.parseInt(only.getKey()), field(only.getValue()));
            }
        }
        value.wrong("1 to 9999 buckets and a column, such as {16: rider_id}");
        return new PartitionBy(PartitionKind.BUCKET, 1, FieldPaths.UNKNOWN);
    }

    private static String folder(YamlValue value) {
        return value.isText() && value.text().matches("[A-Za-z][A-Za-z0-9+.-]*://.+")
                ? value.text()
                : SiblingPaths.readLocal(value);
    }

    private static DurationText aSecondOrMore(YamlValue value) {
        DurationText duration = value.duration();
        if (duration.millis() < 1_000) {
            value.wrong("a duration of at least 1s");
        }
        return duration;
    }

    /**
     * Reads where bad events go. A file that is named is relative to the definition, the default file to the working
     * directory.
     */
    private DeadLetters deadLetters(String name, From from) {
        DeadLetters standard =
                new DeadLetters(name + ".dead.jsonl", (from instanceof Topic read ? read.topic() : name) + "-dead");
        YamlValue value = map.optional("dead_letters").orElse(null);
        if (value == null) {
            return standard;
        }
        YamlMap letters = value.map();
        if (from instanceof PubSub) {
            letters.refused("topic", "does not go with pubsub; name a file, such as file: rides.dead.jsonl");
        }
        DeadLetters read = new DeadLetters(
                letters.optional("file").map(SiblingPaths::readLocal).orElse(standard.file()),
                letters.optional("topic").map(SourceReader::topic).orElse(standard.topic()));
        letters.close();
        return read;
    }
}
