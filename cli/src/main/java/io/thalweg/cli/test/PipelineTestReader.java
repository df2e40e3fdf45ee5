package io.thalweg.cli.test;

import io.thalweg.cli.UserError;
import io.thalweg.cli.ViewFiles;
import io.thalweg.cli.test.PipelineTest.Condition;
import io.thalweg.cli.test.PipelineTest.Events;
import io.thalweg.cli.test.PipelineTest.Expectation;
import io.thalweg.cli.test.PipelineTest.Place;
import io.thalweg.formats.file.EventFiles;
import io.thalweg.model.Definitions;
import io.thalweg.model.FeatureView;
import io.thalweg.model.SiblingPaths;
import io.thalweg.model.problem.DefinitionException;
import io.thalweg.model.problem.Problems;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads documents of {@code kind: Test} with the views that they name. All problems of all tests and of their views are reported
 * together.
 *
 * <p><b>Threads.</b> One.
 */
final class PipelineTestReader {
    private static final String[] LATER = {"shuffle_partitions", "at_least_once", "exactly_once", "cluster"};

    private final ViewFiles files;
    private final List<FeatureView> beside;
    private final Map<String, Optional<FeatureView>> read = new HashMap<>();
    private final boolean recording;

    /**
     * A reader.
     *
     * @param files finds views by their names
     * @param beside views of the same files, which come first
     * @param recording whether tests may lack {@code expect}
     */
    PipelineTestReader(ViewFiles files, List<FeatureView> beside, boolean recording) {
        this.files = files;
        this.beside = beside;
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

    /** Empty without a view; problems are noted. */
    private Optional<PipelineTest> read(YamlMap map) {
        List.of("apiVersion", "kind").forEach(map::has);
        map.optional("description").ifPresent(YamlValue::text);
        String name = map.required("name", "counts_each_rider_once")
                .map(Definitions::name)
                .orElse("");
        Optional<FeatureView> view =
                map.required("view", "../views/demand.yaml").flatMap(this::view);
        LocalDate date = map.optional("date").map(PipelineTestReader::date).orElse(TestTimes.DATE);
        Optional<Events> events = events(map, view.orElse(null), new TestTimes(date));
        Optional<YamlValue> written = recording
                ? map.optional("expect")
                : map.required("expect", "{rows: […]}, which thalweg test FILE --record writes");
        Optional<Expectation> expect = view.flatMap(
                known -> written.map(value -> new ExpectationReader(known, new TestTimes(date)).read(value)));
        Set<Condition> under =
                map.optional("under").map(PipelineTestReader::under).orElse(Set.of());
        boolean explain = map.optional("explain").map(YamlValue::bool).orElse(false);
        map.close();
        Place place = new Place(map.self().file(), map.self().line());
        return view.isEmpty() || events.isEmpty()
                ? Optional.empty()
                : Optional.of(new PipelineTest(
                        name, place, view.get(), date, events.get(), expect.orElse(null), under, explain));
    }

    private Optional<FeatureView> view(YamlValue value) {
        if (!value.isMap()) {
            return named(value, value, view -> true);
        }
        YamlMap map = value.map();
        Optional<YamlValue> file = map.required("file", "../views/demand.yaml");
        Optional<YamlValue> name = map.required("name", "demand");
        map.close();
        return file.flatMap(path -> name.flatMap(
                wanted -> named(path, wanted, view -> view.qualifiedName().equals(wanted.text()))));
    }

    private Optional<FeatureView> named(YamlValue value, YamlValue at, Predicate<FeatureView> wanted) {
        String text = value.text();
        if (!value.isText() || text.isEmpty()) {
            return Optional.empty();
        }
        boolean isFile = text.contains("/") || text.endsWith(".yaml") || text.endsWith(".yml");
        if (!isFile) {
            Optional<FeatureView> found = beside.stream()
                    .filter(view -> view.qualifiedName().equals(text))
                    .findFirst();
            return found.isPresent() ? found : load(value, text, wanted);
        }
        String path = shown(SiblingPaths.read(value, "a file such as ../views/demand.yaml"));
        return load(at, path, wanted);
    }

    /** As the user would write it, in problems of that file. */
    private static String shown(String path) {
        Path here = Path.of("").toAbsolutePath();
        return path.startsWith(here + "/") ? here.relativize(Path.of(path)).toString() : path;
    }

    private Optional<FeatureView> load(YamlValue at, String argument, Predicate<FeatureView> wanted) {
        String key = argument + " " + at.shown();
        Optional<FeatureView> known = read.get(key);
        if (known == null) {
            known = loaded(at, argument, wanted);
            read.put(key, known);
        }
        return known;
    }

    private Optional<FeatureView> loaded(YamlValue at, String argument, Predicate<FeatureView> wanted) {
        try {
            List<FeatureView> found =
                    files.load(List.of(argument)).stream().filter(wanted).toList();
            if (found.size() == 1) {
                return Optional.of(found.get(0));
            }
            at.problem(
                    found.isEmpty()
                            ? "no such view is in " + argument
                            : "%s has %d views; choose one: {file: …, name: %s}"
                                    .formatted(
                                            argument, found.size(), found.get(0).qualifiedName()));
        } catch (DefinitionException e) {
            Problems problems = at.problems();
            e.problems().forEach(each -> problems.add(each.file(), each.line(), each.path(), each.message()));
        } catch (UserError e) {
            at.problem(e.getMessage() + "; " + e.hint());
        }
        return Optional.empty();
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

    private static Optional<Events> events(YamlMap map, @Nullable FeatureView view, TestTimes times) {
        EventLines lines = new EventLines(view, times, map.optional("defaults"));
        return map.required("events", "[{at: \"12:00:05\", rider_id: r1}]")
                .map(value -> value.isMap() ? file(value.map(), map, view) : new Events.Inline(lines.read(value)));
    }

    private static Events file(YamlMap map, YamlMap test, @Nullable FeatureView view) {
        String path = map.required("file", "events.jsonl")
                .map(value -> readable(value, view))
                .orElse("?");
        map.close();
        if (test.has("defaults")) {
            test.key("defaults")
                    .problem("is for events that are written in the test, and these are in a file; remove it");
        }
        return new Events.File(path);
    }

    private static String readable(YamlValue value, @Nullable FeatureView view) {
        String path = SiblingPaths.read(value, "a file such as events.jsonl");
        if (!path.equals("?") && !Files.isReadable(Path.of(path))) {
            value.problem("cannot be read: " + path);
        }
        String unfit =
                view == null ? null : EventFiles.unfit(path, view.source().encoding());
        if (unfit != null) {
            value.problem(unfit);
        }
        return path;
    }

    private static Set<Condition> under(YamlValue value) {
        Set<Condition> conditions = EnumSet.noneOf(Condition.class);
        value.list().forEach(each -> conditions.add(each.oneOf(Condition.class, LATER)));
        return conditions;
    }
}
