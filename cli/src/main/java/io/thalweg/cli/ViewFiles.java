package io.thalweg.cli;

import io.thalweg.model.Definitions;
import io.thalweg.model.FeatureView;
import io.thalweg.model.Nearest;
import io.thalweg.model.Surroundings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds views as the command line names them: a file (or a folder of files), or the name of a view in the {@code views:}
 * folders of {@code thalweg.yaml}.
 *
 * @param surroundings of {@code --config}, of {@code ./thalweg.yaml} if it is there, or the defaults
 */
public record ViewFiles(Surroundings surroundings) {
    /** What is read without {@code --config}, if it is there. */
    public static final Path DEFAULT_CONFIG = Path.of("thalweg.yaml");

    /**
     * Reads the surroundings.
     *
     * @param config the file of {@code --config}; null = {@code ./thalweg.yaml} if it is there
     * @throws io.thalweg.model.DefinitionException if the file cannot be used
     */
    public static ViewFiles of(@Nullable Path config, Map<String, String> env) {
        if (config == null && !Files.exists(DEFAULT_CONFIG)) {
            return new ViewFiles(Surroundings.defaults());
        }
        return new ViewFiles(Surroundings.load(config == null ? DEFAULT_CONFIG : config, env));
    }

    /**
     * The views of several arguments, in their order, each once. A file stands for all its views. Files given together are
     * read together, so that a view may name a source of another file.
     *
     * @throws UserError if a name is unknown
     * @throws io.thalweg.model.DefinitionException if a file cannot be used
     */
    public List<FeatureView> load(List<String> arguments) {
        List<Path> files = new ArrayList<>();
        List<String> names = new ArrayList<>();
        arguments.forEach(argument -> asFile(argument).ifPresentOrElse(files::add, () -> names.add(argument)));
        List<FeatureView> views = new ArrayList<>(
                files.isEmpty() ? List.of() : Definitions.load(files).views());
        if (!names.isEmpty()) {
            List<FeatureView> known = all();
            names.stream()
                    .map(name -> named(name, known))
                    .filter(view -> !views.contains(view))
                    .forEach(views::add);
        }
        return List.copyOf(views);
    }

    /**
     * The one view of an argument.
     *
     * @throws UserError if there is none, or a file holds several
     */
    public FeatureView one(String argument) {
        List<FeatureView> views = load(List.of(argument));
        if (views.size() != 1) {
            List<String> names = views.stream().map(FeatureView::qualifiedName).toList();
            throw UserError.usage(
                    argument + " must hold one view, has " + views.size() + " " + names,
                    "put each view into its own file, or name one of the views: folders of thalweg.yaml");
        }
        return views.get(0);
    }

    /** The views of the {@code views:} folders; none where thalweg.yaml names no folder. */
    public List<FeatureView> all() {
        return surroundings.views().isEmpty()
                ? List.of()
                : Definitions.load(surroundings.views()).views();
    }

    /** A view's name has neither a dot nor a slash; what is there under such a name is meant first. */
    private static Optional<Path> asFile(String argument) {
        boolean name = argument.matches("[a-z][a-z0-9_]*");
        Path path = Path.of(argument);
        return !name || Files.exists(path) ? Optional.of(path) : Optional.empty();
    }

    private static FeatureView named(String name, List<FeatureView> known) {
        return known.stream()
                .filter(view -> view.qualifiedName().equals(name))
                .findFirst()
                .orElseThrow(() -> UserError.usage("no view is named " + name, remedy(name, known)));
    }

    private static String remedy(String name, List<FeatureView> known) {
        if (known.isEmpty()) {
            return "name its file, or list its folder under views: in thalweg.yaml";
        }
        return Nearest.hint(name, known.stream().map(FeatureView::qualifiedName).toList());
    }
}
