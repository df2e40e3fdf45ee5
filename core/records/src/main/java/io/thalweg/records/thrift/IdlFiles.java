package io.thalweg.records.thrift;

import io.thalweg.records.schema.SchemaException;
import io.thalweg.records.thrift.IdlFile.Definition;
import io.thalweg.records.thrift.IdlFile.Include;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An IDL file and all files that it includes, directly or indirectly. Each is parsed once, so files may include each other. */
final class IdlFiles {
    private final Function<String, @Nullable String> texts;
    private final Map<String, IdlFile> files = new HashMap<>();
    private final Map<String, List<Included>> included = new HashMap<>();
    private final Deque<IdlFile> open = new ArrayDeque<>();
    private final IdlFile main;

    private IdlFiles(String main, Function<String, @Nullable String> texts) {
        this.texts = texts;
        IdlFile root = file(main);
        if (root == null) {
            throw new SchemaException("there is no file " + main);
        }
        this.main = root;
    }

    /** A definition and the file that the names in it refer to. */
    record Found(IdlFile file, Definition definition) {}

    /** A file and the name before the dot that refers to it; files in different folders may share a name. */
    private record Included(String prefix, IdlFile file) {}

    /**
     * Parses a file and its includes.
     *
     * @param texts returns the text of a file by its name, or null if there is no such file. An include is looked up relative to
     *     the including file, then relative to the main file, then as written
     */
    static IdlFiles parse(String main, Function<String, @Nullable String> texts) {
        IdlFiles parsed = new IdlFiles(main, texts);
        while (!parsed.open.isEmpty()) {
            IdlFile next = parsed.open.remove();
            List<Included> included = new ArrayList<>();
            for (Include include : next.includes()) {
                included.add(new Included(include.prefix(), parsed.included(next, include)));
            }
            parsed.included.put(next.file(), included);
        }
        return parsed;
    }

    private @Nullable IdlFile file(String name) {
        IdlFile known = files.get(name);
        if (known != null) {
            return known;
        }
        String text = texts.apply(name);
        if (text == null) {
            return null;
        }
        IdlFile parsed = ThriftIdl.parse(name, text);
        files.put(name, parsed);
        open.add(parsed);
        return parsed;
    }

    private IdlFile included(IdlFile file, Include include) {
        for (String name : candidates(file, include)) {
            IdlFile found = file(name);
            if (found != null) {
                return found;
            }
        }
        throw file.error(
                include.line(),
                "there is no file " + include.path() + "; put it next to " + file.file() + " or " + main.file());
    }

    private Set<String> candidates(IdlFile file, Include include) {
        String path = include.path();
        try {
            return new LinkedHashSet<>(List.of(sibling(file, path), sibling(main, path), path));
        } catch (InvalidPathException e) {
            throw file.error(include.line(), "'" + path + "' is not a path; write include \"other.thrift\"");
        }
    }

    private static String sibling(IdlFile file, String path) {
        return Path.of(file.file()).resolveSibling(path).normalize().toString();
    }

    IdlFile main() {
        return main;
    }

    /** Returns the definition that a name in a file refers to, or null. */
    @Nullable
    Found find(IdlFile file, String name) {
        Definition own = file.definitions().get(name);
        if (own != null) {
            return new Found(file, own);
        }
        int dot = name.lastIndexOf('.');
        String prefix = dot < 0 ? "" : name.substring(0, dot);
        for (Included other : included.getOrDefault(file.file(), List.of())) {
            Definition found = other.file().definitions().get(name.substring(dot + 1));
            if (found != null && other.prefix().equals(prefix)) {
                return new Found(other.file(), found);
            }
        }
        return null;
    }
}
