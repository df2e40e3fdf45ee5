package io.thalweg.runner;

import io.thalweg.formats.RecordSchemas;
import io.thalweg.model.Definitions;
import io.thalweg.model.Definitions.Loaded;
import io.thalweg.model.deployment.DeploymentConfig;
import io.thalweg.model.ingest.Ingest;
import io.thalweg.model.problem.Suggestion;
import io.thalweg.model.source.EventSchemas;
import io.thalweg.model.table.Materialization;
import io.thalweg.model.view.FeatureView;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds views as the command line names them: by a file, by a folder of files, or by the name of a view in the {@code
 * views:} folders of {@code thalweg.yaml}.
 *
 * @param deploymentConfig from {@code --config}, from {@code ./thalweg.yaml} if it exists, or the defaults
 */
public record ViewFiles(DeploymentConfig deploymentConfig) {
    /** The file that is read without {@code --config}, if it exists. */
    public static final Path DEFAULT_CONFIG = Path.of("thalweg.yaml");

    /**
     * Reads the deployment configuration.
     *
     * @param config the file of {@code --config}; null = {@code ./thalweg.yaml} if it is there
     * @throws io.thalweg.model.problem.DefinitionException if the file cannot be used
     */
    public static ViewFiles of(@Nullable Path config, Map<String, String> env) {
        if (config == null && !Files.exists(DEFAULT_CONFIG)) {
            return new ViewFiles(DeploymentConfig.defaults());
        }
        return new ViewFiles(DeploymentConfig.load(config == null ? DEFAULT_CONFIG : config, env));
    }

    /**
     * Returns the views of several arguments in order, each once. A file names all its views. Files given together are read
     * together, so that a view may use a source of another file.
     *
     * @throws UserError if a name is unknown
     * @throws io.thalweg.model.problem.DefinitionException if a file cannot be used
     */
    public List<FeatureView> load(List<String> arguments) {
        return load(arguments, "view", Loaded::views, FeatureView::qualifiedName, events());
    }

    /**
     * Like {@link #load}, but requires at least one view.
     *
     * @throws UserError also if there is none
     */
    public List<FeatureView> loadSome(List<String> arguments) {
        return some(load(arguments), arguments);
    }

    /** Like {@link #loadSome}, but returns everything that may have a feature log: the views of materializations too. */
    public List<FeatureView> loadLogged(List<String> arguments) {
        return some(load(arguments, "view", Loaded::served, FeatureView::qualifiedName, events()), arguments);
    }

    private static List<FeatureView> some(List<FeatureView> found, List<String> arguments) {
        if (found.isEmpty()) {
            throw UserError.usage("there is no view in " + String.join(" ", arguments), "see thalweg init");
        }
        return found;
    }

    /** Reads all definitions of these files and folders together. */
    public Loaded definitions(List<Path> files) {
        return Definitions.load(files, events());
    }

    /** Like {@link #load}, but returns everything that can be read from a store: the views of materializations too. */
    public List<FeatureView> served(List<String> arguments) {
        return load(arguments, "view", Loaded::served, FeatureView::qualifiedName, EventSchemas.UNREAD);
    }

    /** Like {@link #load}, for materializations. */
    public List<Materialization> materializations(List<String> arguments) {
        return load(
                arguments,
                "materialization",
                Loaded::materializations,
                each -> each.view().qualifiedName(),
                EventSchemas.UNREAD);
    }

    /** Like {@link #load}, for ingests. */
    public List<Ingest> ingests(List<String> arguments) {
        return load(arguments, "ingest", Loaded::ingests, Ingest::qualifiedName, EventSchemas.UNREAD);
    }

    /**
     * Returns the one ingest of an argument; empty if no definition has this name.
     *
     * @throws UserError if a file does not contain exactly one ingest
     */
    public Optional<Ingest> findIngest(String argument) {
        return asFile(argument).isPresent()
                ? Optional.of(oneIngest(argument))
                : allIngests().stream()
                        .filter(ingest -> ingest.qualifiedName().equals(argument))
                        .findFirst();
    }

    /**
     * Returns the one ingest of an argument.
     *
     * @throws UserError if there is none, or a file contains several
     */
    public Ingest oneIngest(String argument) {
        List<Ingest> ingests = ingests(List.of(argument));
        if (ingests.size() != 1) {
            throw UserError.usage(
                    "%s must hold one definition of kind: Ingest, has %d".formatted(argument, ingests.size()),
                    "name the file of one, or its name in views: of thalweg.yaml");
        }
        return ingests.get(0);
    }

    /** Whether an argument names ingests and no views. */
    public boolean meansIngest(String argument) {
        return asFile(argument)
                .map(file -> {
                    Loaded loaded = Definitions.load(List.of(file));
                    return loaded.views().isEmpty() && !loaded.ingests().isEmpty();
                })
                .orElseGet(() -> allIngests().stream()
                        .anyMatch(ingest -> ingest.qualifiedName().equals(argument)));
    }

    /** Returns the ingests of the {@code views:} folders. */
    public List<Ingest> allIngests() {
        return all(Loaded::ingests, EventSchemas.UNREAD);
    }

    /** Returns the event schemas with which views are loaded; views that are only served need none. */
    private EventSchemas events() {
        return new RecordSchemas(Registries.of(deploymentConfig));
    }

    private <T> List<T> load(
            List<String> arguments,
            String kind,
            Function<Loaded, List<T>> wanted,
            Function<T, String> nameOf,
            EventSchemas schemas) {
        List<Path> files = new ArrayList<>();
        List<String> names = new ArrayList<>();
        arguments.forEach(argument -> asFile(argument).ifPresentOrElse(files::add, () -> names.add(argument)));
        List<T> found = new ArrayList<>(files.isEmpty() ? List.of() : wanted.apply(Definitions.load(files, schemas)));
        if (!names.isEmpty()) {
            Map<String, T> known = new LinkedHashMap<>();
            all(wanted, schemas).forEach(each -> known.put(nameOf.apply(each), each));
            names.stream()
                    .map(name -> named(name, kind, known))
                    .filter(each -> !found.contains(each))
                    .forEach(found::add);
        }
        return List.copyOf(found);
    }

    /**
     * Returns the one view of an argument.
     *
     * @throws UserError if there is none, or a file contains several
     */
    public FeatureView one(String argument) {
        return one(argument, load(List.of(argument)));
    }

    /** Like {@link #one}, but finds everything that may have a feature log. */
    public FeatureView oneLogged(String argument) {
        return one(argument, loadLogged(List.of(argument)));
    }

    private static FeatureView one(String argument, List<FeatureView> views) {
        if (views.size() != 1) {
            List<String> names = views.stream().map(FeatureView::qualifiedName).toList();
            throw UserError.usage(
                    argument + " must hold one view, has " + views.size() + " " + names,
                    "put each view into its own file, or name one of the views: folders of thalweg.yaml");
        }
        return views.get(0);
    }

    /** Returns the views of the {@code views:} folders; none if thalweg.yaml names no folder. */
    public List<FeatureView> all() {
        return all(Loaded::views, events());
    }

    /** Returns all definitions in the same folders whose rows can be read from a store. */
    public List<FeatureView> allServed() {
        return all(Loaded::served, EventSchemas.UNREAD);
    }

    private <T> List<T> all(Function<Loaded, List<T>> wanted, EventSchemas schemas) {
        return deploymentConfig.views().isEmpty()
                ? List.of()
                : wanted.apply(Definitions.load(deploymentConfig.views(), schemas));
    }

    /** Returns the argument as a file if it has a dot or a slash, which no view's name has, or if there are definitions by that path. */
    private static Optional<Path> asFile(String argument) {
        boolean name = argument.matches("[a-z][a-z0-9_]*");
        Path path = Path.of(argument);
        return !name || Definitions.mayBeIn(path) ? Optional.of(path) : Optional.empty();
    }

    private static <T> T named(String name, String kind, Map<String, T> known) {
        T found = known.get(name);
        if (found == null) {
            throw UserError.usage("no " + kind + " is named " + name, remedy(name, known.keySet()));
        }
        return found;
    }

    private static String remedy(String name, Set<String> known) {
        return known.isEmpty()
                ? "name its file, or list its folder under views: in thalweg.yaml"
                : Suggestion.hint(name, known);
    }
}
