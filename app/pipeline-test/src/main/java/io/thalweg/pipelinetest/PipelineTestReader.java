package io.thalweg.pipelinetest;

import io.thalweg.formats.file.EventFiles;
import io.thalweg.jobs.ingest.file.IngestFile;
import io.thalweg.jobs.ingest.plan.IngestPlan;
import io.thalweg.model.Definitions;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.ingest.Ingest.Framing;
import io.thalweg.model.problem.DefinitionException;
import io.thalweg.model.source.EventSchema;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.Lookup;
import io.thalweg.model.yaml.SiblingPaths;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import io.thalweg.pipelinetest.PipelineTest.Condition;
import io.thalweg.pipelinetest.PipelineTest.Events;
import io.thalweg.pipelinetest.PipelineTest.Expectation;
import io.thalweg.pipelinetest.PipelineTest.SourceLine;
import io.thalweg.records.registry.RegistryAddress;
import io.thalweg.records.registry.RegistryAwayException;
import io.thalweg.records.schema.SchemaException;
import io.thalweg.runner.Registries;
import io.thalweg.runner.ViewFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads documents of {@code kind: Test} with the definitions that they name. It reports all problems of all tests and
 * definitions together.
 *
 * <p><b>Threads.</b> One.
 */
final class PipelineTestReader {
    private static final long TARGET_FILE = 256L << 20;

    private final ViewFiles files;
    private final NamedDefinitions<FeatureView> views;
    private final NamedDefinitions<Ingest> ingests;
    private final Map<Ingest, Optional<IngestPlan>> plans = new HashMap<>();
    private final boolean recording;
    private final Set<Path> named;

    /**
     * Creates a reader.
     *
     * @param files finds definitions by their names
     * @param beside definitions of the same files, which take precedence
     * @param recording whether tests may omit {@code expect}
     * @param named receives the files that tests and definitions name
     */
    PipelineTestReader(ViewFiles files, Definitions.Loaded beside, boolean recording, Set<Path> named) {
        this.files = files;
        this.named = named;
        views = new NamedDefinitions<>("view", beside.views(), files::load, FeatureView::qualifiedName, named);
        ingests = new NamedDefinitions<>("ingest", beside.ingests(), files::ingests, Ingest::qualifiedName, named);
        this.recording = recording;
    }

    /**
     * Reads tests.
     *
     * @throws DefinitionException with all problems
     */
    List<PipelineTest> read(List<YamlMap> documents) {
        List<PipelineTest> tests = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (YamlMap document : documents) {
            read(document).ifPresent(tests::add);
            document.optional("name")
                    .filter(name -> name.isText() && !names.add(name.text()))
                    .ifPresent(name -> name.problem("another test is named " + name.text() + " too; rename one"));
        }
        if (!documents.isEmpty()) {
            documents.get(0).self().problems().throwIfAny();
        }
        return tests;
    }

    /** Reads a test; if nothing to test is named, returns empty. Records problems. */
    private Optional<? extends PipelineTest> read(YamlMap map) {
        List.of("apiVersion", "kind").forEach(map::has);
        map.optional("description").ifPresent(YamlValue::text);
        Common common = new Common(
                map.required("name", "counts_each_rider_once")
                        .map(YamlValue::name)
                        .orElse(""),
                new SourceLine(map.self().file(), map.self().line()),
                map.optional("date").map(PipelineTestReader::date).orElse(TestTimes.DATE),
                map.optional("under").map(PipelineTestReader::under).orElse(Set.of()),
                map.optional("explain").map(YamlValue::bool).orElse(false));
        List<String> subjects = Stream.of("view", "ingest", PublishTestReader.KEY)
                .filter(map::has)
                .toList();
        if (subjects.size() > 1) {
            map.key(subjects.get(1)).problem("a test has one of the keys view, ingest and publish; remove the others");
        }
        Optional<? extends PipelineTest> test = map.has("ingest")
                ? ofIngest(map, common)
                : map.has(PublishTestReader.KEY)
                        ? new PublishTestReader(this, recording).read(map, common)
                        : ofView(map, common);
        map.close();
        return test;
    }

    /** The keys that all tests share. */
    record Common(String name, SourceLine place, LocalDate date, Set<Condition> under, boolean explain) {
        TestTimes times() {
            return new TestTimes(date);
        }
    }

    private Optional<ViewTest> ofView(YamlMap map, Common common) {
        Optional<FeatureView> view =
                map.required("view", "../views/demand.yaml").flatMap(this::view);
        Optional<Events> events = events(map, view.orElse(null), common.times());
        Optional<YamlValue> written = expect(map);
        if (events.orElse(null) instanceof Events.File) {
            requireNoShuffle(map, common);
        }
        view.filter(each -> each.sink() == null)
                .ifPresent(each -> common.under().stream()
                        .filter(condition -> condition.delivery() != null)
                        .forEach(condition -> map.key("under")
                                .problem(
                                        ("%s is what a topic of rows is promised, and view %s has no sink; remove it, or add"
                                                        + " sink: {topic: %s-rows} to the view")
                                                .formatted(condition.text(), each.qualifiedName(), each.name()))));
        Optional<Expectation> expect = view.flatMap(
                known -> written.map(value -> new ExpectationReader(known, common.times(), recording).read(value)));
        return view.isEmpty() || events.isEmpty()
                ? Optional.empty()
                : Optional.of(new ViewTest(
                        common.name(),
                        common.place(),
                        view.get(),
                        common.date(),
                        events.get(),
                        expect.orElse(null),
                        common.under(),
                        common.explain()));
    }

    /** Finds the named view and records its files; if there is none, records the problems and returns empty. */
    Optional<FeatureView> view(YamlValue value) {
        Optional<FeatureView> view = views.find(value);
        view.ifPresent(this::name);
        return view;
    }

    private void name(FeatureView view) {
        EventSchema schema = view.source().encoding().schema();
        if (schema != null && !schema.at().file().isEmpty()) {
            named.add(Path.of(schema.at().file()));
        }
        for (Lookup lookup : view.lookups()) {
            if (lookup.table() instanceof Lookup.File table) {
                named.add(Path.of(table.path()));
            }
        }
    }

    /** Returns the expectation, which may be missing if tests are recorded. */
    Optional<YamlValue> expect(YamlMap map) {
        return recording
                ? map.optional("expect")
                : map.required("expect", "{rows: […]}, which thalweg test FILE --record writes");
    }

    private Optional<IngestTest> ofIngest(YamlMap map, Common common) {
        Optional<IngestPlan> plan = map.optional("ingest").flatMap(this::plan);
        Optional<YamlValue> events = map.required("events", "[{rider_id: r1}]");
        Optional<YamlValue> defaults = map.optional("defaults");
        Optional<YamlValue> expect = expect(map);
        if (plan.isEmpty() || events.isEmpty()) {
            return Optional.empty();
        }
        IngestPlan known = plan.get();
        String schema = known.ingest().input().schema().file();
        if (!schema.isEmpty()) {
            named.add(Path.of(schema));
        }
        YamlValue value = events.get();
        if (value.isMap()) {
            requireNoShuffle(map, common);
        }
        Map<Condition, IngestPlan> delivered = delivered(map, common.under());
        IngestTest.Messages messages = value.isMap()
                ? new IngestTest.Messages.File(recordFile(value.map(), map, known))
                : new IngestTest.Messages.Inline(IngestMessages.read(value, known, common.times(), defaults));
        return Optional.of(new IngestTest(
                common.name(),
                common.place(),
                known,
                common.date(),
                messages,
                expect.map(each -> new RowExpectationReader(known, common.times()).read(each))
                        .orElse(null),
                common.under(),
                delivered,
                common.explain()));
    }

    private static void requireNoShuffle(YamlMap map, Common common) {
        if (common.under().contains(Condition.SHUFFLE_PARTITIONS)) {
            map.key("under")
                    .problem("shuffle_partitions needs events that are written in the test, and these are in a file;"
                            + " remove it");
        }
    }

    /** Returns the definition with its own sink, a topic, for each condition on a topic. */
    private Map<Condition, IngestPlan> delivered(YamlMap test, Set<Condition> under) {
        Map<Condition, IngestPlan> delivered = new EnumMap<>(Condition.class);
        Ingest own = test.optional("ingest").flatMap(ingests::find).orElseThrow();
        for (Condition condition : under) {
            if (condition.delivery() == null) {
                continue;
            }
            if (own.sink() instanceof Ingest.TopicSink topic) {
                Ingest promised = own.withSink(
                        new Ingest.TopicSink(
                                topic.topic(),
                                topic.kafka(),
                                topic.format(),
                                topic.schema(),
                                condition == Condition.EXACTLY_ONCE,
                                topic.every(),
                                topic.linger()),
                        own.rows());
                delivered.put(condition, IngestPlan.of(promised, Registries.of(files.deploymentConfig())));
            } else {
                test.key("under")
                        .problem(
                                "%s is what a topic is promised, and ingest %s writes to %s. A test writes its rows to files,"
                                                .formatted(
                                                        condition.text(),
                                                        own.qualifiedName(),
                                                        own.sink().text())
                                        + " and restart checks that they hold each row once; remove it");
            }
        }
        return delivered;
    }

    private Optional<IngestPlan> plan(YamlValue value) {
        return ingests.find(value).flatMap(ingest -> plans.computeIfAbsent(ingest, each -> plan(each, value)));
    }

    /** Plans the ingest into files; also checks the definition with its own sink. */
    private Optional<IngestPlan> plan(Ingest ingest, YamlValue value) {
        try {
            Map<String, RegistryAddress> registries = Registries.of(files.deploymentConfig());
            IngestPlan unused = IngestPlan.of(ingest, registries);
            return Optional.of(IngestPlan.of(inFiles(ingest), registries));
        } catch (SchemaException | RegistryAwayException e) {
            value.problem(String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    /** Returns the same ingest with Parquet files as its sink, whose rows contain the origins of their messages. */
    private static Ingest inFiles(Ingest ingest) {
        Ingest.Sink own = ingest.sink();
        Ingest.TableFiles files = own instanceof Ingest.ParquetSink parquet
                ? parquet.files()
                : new Ingest.TableFiles(TARGET_FILE, Ingest.FileCompression.ZSTD, List.of());
        return ingest.withSink(
                new Ingest.ParquetSink("test", own.every(), files),
                new Ingest.RowOptions(true, ingest.rows().refuseUnknownFields()));
    }

    private IngestFile recordFile(YamlMap map, YamlMap test, IngestPlan plan) {
        Optional<YamlValue> value = map.required("file", "events.bin");
        Path path = Path.of(value.map(this::readable).orElse("?"));
        map.close();
        refuseDefaults(test);
        Framing given = plan.ingest().input().framing();
        Framing framing = given == null ? Framing.ofName(String.valueOf(path.getFileName())) : given;
        if (framing == Framing.AVRO_CONTAINER && plan.ingest().input().format() != Ingest.Format.AVRO) {
            value.ifPresent(at -> at.problem("is an Avro file by its name, but the ingest reads "
                    + plan.ingest().input().format().text()));
        }
        try {
            return new IngestFile(path.toString(), framing, Files.exists(path) ? Files.size(path) : 0);
        } catch (IOException e) {
            value.ifPresent(at -> at.problem("cannot be read: " + e.getMessage()));
            return new IngestFile(path.toString(), framing, 0);
        }
    }

    private static LocalDate date(YamlValue value) {
        try {
            if (value.isText()) {
                return LocalDate.parse(value.text());
            }
        } catch (DateTimeException e) {
            // Reported below.
        }
        value.wrong("a date such as 2026-01-01");
        return TestTimes.DATE;
    }

    /** Reads the events of a view, from the test or from a file. */
    Optional<Events> events(YamlMap map, @Nullable FeatureView view, TestTimes times) {
        EventLines lines = new EventLines(view, times, map.optional("defaults"));
        return map.required("events", "[{at: \"12:00:05\", rider_id: r1}]")
                .map(value -> value.isMap() ? file(value.map(), map, view) : new Events.Inline(lines.read(value)));
    }

    private Events file(YamlMap map, YamlMap test, @Nullable FeatureView view) {
        String path = map.required("file", "events.jsonl")
                .map(value -> readable(value, view))
                .orElse("?");
        map.close();
        refuseDefaults(test);
        return new Events.File(path);
    }

    private static void refuseDefaults(YamlMap test) {
        if (test.has("defaults")) {
            test.key("defaults")
                    .problem("is for events that are written in the test, and these are in a file; remove it");
        }
    }

    private String readable(YamlValue value) {
        String path = SiblingPaths.read(value, "a file such as events.jsonl");
        named.add(Path.of(path));
        if (!path.equals("?") && !Files.isReadable(Path.of(path))) {
            value.problem("cannot be read: " + path);
        }
        return path;
    }

    private String readable(YamlValue value, @Nullable FeatureView view) {
        String path = readable(value);
        String unfit =
                view == null ? null : EventFiles.unfit(path, view.source().encoding());
        if (unfit != null) {
            value.problem(unfit);
        }
        return path;
    }

    private static Set<Condition> under(YamlValue value) {
        Set<Condition> conditions = EnumSet.noneOf(Condition.class);
        value.list().forEach(each -> conditions.add(each.oneOf(Condition.class)));
        return conditions;
    }
}
