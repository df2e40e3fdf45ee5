package io.thalweg.model;

import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.ingest.IngestReader;
import io.thalweg.model.problem.DefinitionException;
import io.thalweg.model.problem.Problem;
import io.thalweg.model.problem.Problems;
import io.thalweg.model.source.EventSchemas;
import io.thalweg.model.source.Source;
import io.thalweg.model.source.SourceReader;
import io.thalweg.model.source.SourceReader.ReadSource;
import io.thalweg.model.table.Materialization;
import io.thalweg.model.table.MaterializationReader;
import io.thalweg.model.view.FeastFields;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.FeatureViewReader;
import io.thalweg.model.yaml.YamlFile;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads and validates definitions. The format is specified in {@code docs/reference/definitions.md}.
 *
 * <p><b>Errors.</b> All problems of all files are reported in one {@link DefinitionException}, each with its file, line, path,
 * the rule, the value found and a valid one.
 */
public final class Definitions {
    static final String API_VERSION = "thalweg/v1";

    private static final Set<String> LATER = Set.of("FeatureService");

    private final Problems problems = new Problems();
    private final Map<String, YamlMap> sourceDocuments = new LinkedHashMap<>();
    private final List<YamlMap> viewDocuments = new ArrayList<>();
    private final List<YamlMap> materializationDocuments = new ArrayList<>();
    private final List<YamlMap> ingestDocuments = new ArrayList<>();
    private final List<YamlMap> testDocuments = new ArrayList<>();

    private final EventSchemas schemas;

    private Definitions(EventSchemas schemas) {
        this.schemas = schemas;
    }

    /**
     * What files define.
     *
     * @param views in the order of the files
     * @param sources by name
     * @param materializations in the order of the files
     * @param ingests in the order of the files
     * @param tests documents of kind Test in the order of the files, unread: the files that they name are needed only to run them
     */
    public record Loaded(
            List<FeatureView> views,
            Map<String, Source> sources,
            List<Materialization> materializations,
            List<Ingest> ingests,
            List<YamlMap> tests) {
        public Loaded {
            views = List.copyOf(views);
            sources = Map.copyOf(sources);
            materializations = List.copyOf(materializations);
            ingests = List.copyOf(ingests);
            tests = List.copyOf(tests);
        }

        /** Returns the same definitions with only those tests whose view or ingest is one of them, by its name. */
        public Loaded withTestsOfItsOwn() {
            Set<String> names = Stream.concat(
                            views.stream().map(FeatureView::qualifiedName),
                            ingests.stream().map(Ingest::qualifiedName))
                    .collect(Collectors.toSet());
            return new Loaded(
                    views,
                    sources,
                    materializations,
                    ingests,
                    tests.stream()
                            .filter(test -> Stream.of("view", "ingest")
                                    .flatMap(key -> test.optional(key).stream())
                                    .anyMatch(subject -> subject.isText() && names.contains(subject.text())))
                            .toList());
        }

        /** Returns everything that can be read from a store: the views, and those of the materializations. */
        public List<FeatureView> served() {
            return Stream.concat(views.stream(), materializations.stream().map(Materialization::view))
                    .toList();
        }
    }

    /**
     * Definitions of which some may be wrong.
     *
     * @param sound those without problems
     * @param problems ordered by file and line
     */
    public record Tried(Loaded sound, List<Problem> problems) {
        public Tried {
            problems = List.copyOf(problems);
        }

        private Loaded orThrow() {
            if (!problems.isEmpty()) {
                throw new DefinitionException(problems);
            }
            return sound;
        }
    }

    /**
     * Reads files together, so that views may name sources of other files. Of a folder, reads the {@code .yaml} and
     * {@code .yml} files in name order, except {@code thalweg.yaml}.
     *
     * @throws DefinitionException with all problems
     */
    public static Loaded load(List<Path> files) {
        return load(files, EventSchemas.UNREAD);
    }

    /**
     * Reads files as {@link #load(List)} does, and checks views against the schemas of their events.
     *
     * @throws DefinitionException with all problems
     */
    public static Loaded load(List<Path> files, EventSchemas schemas) {
        return tried(files, schemas).orThrow();
    }

    /** Reads files as {@link #load(List, EventSchemas)} does, and returns the problems beside the definitions without any. */
    public static Tried tried(List<Path> files, EventSchemas schemas) {
        Definitions definitions = new Definitions(schemas);
        Set<Path> expanded = new LinkedHashSet<>();
        files.forEach(file -> definitions.expand(file, expanded));
        for (Path file : expanded) {
            YamlFile.text(file, definitions.problems).ifPresent(text -> definitions.read(text, file.toString()));
        }
        return definitions.finish();
    }

    /**
     * Reads a text.
     *
     * @param fileName the name in the problems
     * @throws DefinitionException with all problems
     */
    public static Loaded parse(String yaml, String fileName) {
        return parse(yaml, fileName, EventSchemas.UNREAD);
    }

    /**
     * Reads a text as {@link #parse(String, String)} does, and checks views against the schemas of their events.
     *
     * @throws DefinitionException with all problems
     */
    public static Loaded parse(String yaml, String fileName, EventSchemas schemas) {
        Definitions definitions = new Definitions(schemas);
        definitions.read(yaml, fileName);
        return definitions.finish().orThrow();
    }

    private void expand(Path path, Set<Path> into) {
        if (!Files.isDirectory(path)) {
            into.add(path);
            return;
        }
        try {
            List<Path> found = files(path);
            if (found.isEmpty()) {
                problems.add(path.toString(), 0, "", "the folder holds no definition (*.yaml)");
            }
            into.addAll(found);
        } catch (IOException e) {
            problems.add(path.toString(), 0, "", "the folder cannot be read: " + e.getMessage());
        }
    }

    /** Returns the files of definitions in a folder, in name order. */
    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.filter(Files::isRegularFile)
                    .filter(entry -> isDefinition(entry.getFileName().toString()))
                    .sorted()
                    .toList();
        }
    }

    /** Whether a path is a file, or a folder that has definitions; the data of a table may be in a folder with its name. */
    public static boolean mayBeIn(Path path) {
        try {
            return Files.isDirectory(path) ? !files(path).isEmpty() : Files.exists(path);
        } catch (IOException e) {
            return true; // reported when it is read
        }
    }

    private static boolean isDefinition(String name) {
        return (name.endsWith(".yaml") || name.endsWith(".yml")) && !name.equals("thalweg.yaml");
    }

    private void read(String text, String file) {
        int before = problems.count();
        List<YamlValue> documents = YamlFile.documents(text, file, problems);
        if (documents.isEmpty() && problems.count() == before) {
            problems.add(file, 0, "", "holds no definition; it must begin with apiVersion: " + API_VERSION);
        }
        documents.forEach(this::document);
    }

    private void document(YamlValue value) {
        YamlMap document = value.map();
        document.required("apiVersion", API_VERSION).ifPresent(version -> {
            if (!version.isText() || !version.text().equals(API_VERSION)) {
                version.wrong(API_VERSION);
            }
        });
        document.required("kind", "FeatureView").ifPresent(kind -> kind(kind, document));
    }

    private void kind(YamlValue kind, YamlMap document) {
        String text = kind.text();
        if (text.equals("FeatureView")) {
            viewDocuments.add(document);
        } else if (text.equals("Materialization")) {
            materializationDocuments.add(document);
        } else if (text.equals("Ingest")) {
            ingestDocuments.add(document);
        } else if (text.equals("Test")) {
            testDocuments.add(document);
        } else if (text.equals("Source")) {
            String name = document.required("name", "rider_events")
                    .map(YamlValue::name)
                    .orElse("");
            if (sourceDocuments.containsKey(name) && !name.isEmpty()) {
                document.key("name")
                        .problem("the source at "
                                + sourceDocuments.get(name).key("name").place() + " is named " + name
                                + " too; rename one");
            }
            // A source with an unusable name is still read, to report its other problems.
            boolean free = !name.isEmpty() && !sourceDocuments.containsKey(name);
            sourceDocuments.put(free ? name : "#" + sourceDocuments.size(), document);
        } else if (LATER.contains(text)) {
            kind.problem(text + " is not supported in this version; remove the document");
        } else if (!text.isEmpty()) {
            kind.wrong("FeatureView, Materialization, Ingest, Source or Test");
        }
    }

    private Tried finish() {
        Map<String, ReadSource> sources = new LinkedHashMap<>();
        sourceDocuments.forEach((name, document) -> {
            document.optional("apiVersion");
            document.optional("kind");
            document.optional("description").ifPresent(YamlValue::text);
            sources.put(name, new SourceReader(document, schemas).read());
        });
        boolean areSourcesSound = problems.count() == 0;
        List<FeatureView> views = new ArrayList<>();
        Map<String, YamlMap> names = new HashMap<>();
        FeastFields feastFields = new FeastFields();
        for (YamlMap document : viewDocuments) {
            int before = problems.count();
            FeatureView view = new FeatureViewReader(document, sources, schemas).read();
            requireOwnName(view.name(), view.qualifiedName(), document, names);
            requireOwnFields(view, document, feastFields);
            if (areSourcesSound && problems.count() == before) {
                views.add(view);
            }
        }
        List<Materialization> materializations = new ArrayList<>();
        for (YamlMap document : materializationDocuments) {
            int before = problems.count();
            Materialization materialization = new MaterializationReader(document).read();
            FeatureView view = materialization.view();
            requireOwnName(view.name(), view.qualifiedName(), document, names);
            requireOwnFields(view, document, feastFields);
            if (problems.count() == before) {
                materializations.add(materialization);
            }
        }
        List<Ingest> ingests = new ArrayList<>();
        for (YamlMap document : ingestDocuments) {
            int before = problems.count();
            Ingest ingest = new IngestReader(document).read();
            requireOwnName(ingest.name(), ingest.qualifiedName(), document, names);
            if (problems.count() == before) {
                ingests.add(ingest);
            }
        }
        Map<String, Source> named = new LinkedHashMap<>();
        sources.forEach((name, read) -> named.put(name, read.source()));
        return new Tried(new Loaded(views, named, materializations, ingests, testDocuments), problems.sorted());
    }

    private static void requireOwnName(
            String name, String qualifiedName, YamlMap document, Map<String, YamlMap> names) {
        YamlMap other = names.putIfAbsent(qualifiedName, document);
        if (other != null && !name.isEmpty()) {
            document.key("name")
                    .problem("the definition at " + other.key("name").place() + " is named " + qualifiedName
                            + " too; rename one or raise its version");
        }
    }

    private static void requireOwnFields(FeatureView view, YamlMap document, FeastFields fields) {
        fields.take(view).ifPresent(problem -> document.key("name").problem(problem));
    }
}
