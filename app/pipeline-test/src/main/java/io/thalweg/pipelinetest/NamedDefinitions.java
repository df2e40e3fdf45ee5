package io.thalweg.pipelinetest;

import io.thalweg.model.problem.DefinitionException;
import io.thalweg.model.problem.Problems;
import io.thalweg.model.yaml.SiblingPaths;
import io.thalweg.model.yaml.YamlMap;
import io.thalweg.model.yaml.YamlValue;
import io.thalweg.runner.UserError;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Finds definitions of one kind as tests name them: by a file that contains one, by {@code {file, name}}, or by a name.
 *
 * <p><b>Threads.</b> One.
 */
final class NamedDefinitions<T> {
    private final String kind;
    private final List<T> beside;
    private final Function<List<String>, List<T>> files;
    private final Function<T, String> nameOf;
    private final Set<Path> named;
    private final Map<String, Optional<T>> read = new HashMap<>();

    /**
     * Creates a finder.
     *
     * @param kind the kind of definition, for people
     * @param beside the definitions in the files of the tests, whose names take precedence
     * @param files loads files and names
     * @param named receives the files that are loaded
     */
    NamedDefinitions(
            String kind,
            List<T> beside,
            Function<List<String>, List<T>> files,
            Function<T, String> nameOf,
            Set<Path> named) {
        this.kind = kind;
        this.beside = beside;
        this.files = files;
        this.nameOf = nameOf;
        this.named = named;
    }

    /** Finds the definition; if there is none, records the problems and returns empty. */
    Optional<T> find(YamlValue value) {
        if (!value.isMap()) {
            return named(value, value, definition -> true);
        }
        YamlMap map = value.map();
        Optional<YamlValue> file = map.required("file", "../definitions.yaml");
        Optional<YamlValue> name = map.required("name", "demand");
        map.close();
        return file.flatMap(path -> name.flatMap(wanted ->
                named(path, wanted, definition -> nameOf.apply(definition).equals(wanted.text()))));
    }

    private Optional<T> named(YamlValue value, YamlValue at, Predicate<T> wanted) {
        String text = value.text();
        if (!value.isText() || text.isEmpty()) {
            return Optional.empty();
        }
        boolean isFile = text.contains("/") || text.endsWith(".yaml") || text.endsWith(".yml");
        if (!isFile) {
            Optional<T> found = beside.stream()
                    .filter(definition -> nameOf.apply(definition).equals(text))
                    .findFirst();
            return found.isPresent() ? found : load(value, text, wanted);
        }
        String path = shown(SiblingPaths.read(value, "a file such as ../views/demand.yaml"));
        named.add(Path.of(path));
        return load(at, path, wanted);
    }

    /** Returns a path as the user would write it, for problems of that file. */
    private static String shown(String path) {
        Path here = Path.of("").toAbsolutePath();
        return path.startsWith(here + "/") ? here.relativize(Path.of(path)).toString() : path;
    }

    private Optional<T> load(YamlValue at, String argument, Predicate<T> wanted) {
        String key = argument + " " + at.shown();
        Optional<T> known = read.get(key);
        if (known == null) {
            known = loaded(at, argument, wanted);
            read.put(key, known);
        }
        return known;
    }

    private Optional<T> loaded(YamlValue at, String argument, Predicate<T> wanted) {
        try {
            List<T> found =
                    files.apply(List.of(argument)).stream().filter(wanted).toList();
            if (found.size() == 1) {
                return Optional.of(found.get(0));
            }
            at.problem(
                    found.isEmpty()
                            ? "no such %s is in %s".formatted(kind, argument)
                            : "%s has %d %ss; choose one: {file: …, name: %s}"
                                    .formatted(argument, found.size(), kind, nameOf.apply(found.get(0))));
        } catch (DefinitionException e) {
            Problems problems = at.problems();
            e.problems().forEach(each -> problems.add(each.file(), each.line(), each.path(), each.message()));
        } catch (UserError e) {
            at.problem(e.getMessage() + "; " + e.hint());
        }
        return Optional.empty();
    }
}
