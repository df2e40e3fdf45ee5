package io.thalweg.qalm.registry;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The files in the registry's folder: the rules in force, and the audit trail, one tab-separated line per change. */
final class RegistryState {
    static final int TRAIL_MAX = 1_000;

    private final Notation notation;
    private final Path inForce;
    private final Path audit;

    RegistryState(Notation notation, Path folder) {
        this.notation = notation;
        this.inForce = folder.resolve("rules-in-force.yaml");
        this.audit = folder.resolve("audit.tsv");
    }

    /** The rules in force, and the hashes of the documents that the sources last supplied. */
    record Saved(long version, String author, Instant since, Hashes hashes, Rules rules) {}

    @Nullable
    Saved load() throws IOException {
        if (!Files.exists(inForce)) {
            return null;
        }
        String name = inForce.getFileName().toString();
        List<String> problems = new ArrayList<>();
        Section tree = RulesTree.document(notation, name, Files.readString(inForce), problems);
        long version = (long) tree.number("version", 0);
        Instant since = Instant.ofEpochMilli((long) tree.number("since_ms", 0));
        Saved saved = new Saved(
                version,
                tree.text("author"),
                since,
                new Hashes(tree.optionalText("file_hash"), tree.optionalText("control_hash")),
                RulesTree.rules(tree.section("rules")));
        if (!problems.isEmpty()) {
            throw new RulesException(name, problems);
        }
        return saved;
    }

    void save(Saved saved) {
        Map<String, Object> tree = new LinkedHashMap<>();
        tree.put("version", saved.version());
        tree.put("author", saved.author());
        tree.put("since_ms", saved.since().toEpochMilli());
        put(tree, "file_hash", saved.hashes().file());
        put(tree, "control_hash", saved.hashes().control());
        tree.put("rules", RulesTree.of(saved.rules()));
        try {
            Files.createDirectories(inForce.toAbsolutePath().getParent());
            Path fresh = inForce.resolveSibling(inForce.getFileName() + ".new");
            Files.writeString(fresh, notation.write(tree));
            Files.move(fresh, inForce, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot save the rules to " + inForce, e);
        }
    }

    private static void put(Map<String, Object> tree, String key, @Nullable String value) {
        if (value != null) {
            tree.put(key, value);
        }
    }

    void append(Change change) {
        List<String> fields =
                new ArrayList<>(List.of(change.time().toString(), Long.toString(change.version()), change.author()));
        fields.addAll(change.details());
        String line =
                String.join("\t", fields.stream().map(RegistryState::oneLine).toList()) + "\n";
        try {
            Files.write(
                    audit, line.getBytes(StandardCharsets.UTF_8), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the audit trail to " + audit, e);
        }
    }

    private static String oneLine(String field) {
        return field.replaceAll("\\s+", " ");
    }

    /** The last thousand changes, the oldest first. */
    List<Change> trail() throws IOException {
        if (!Files.exists(audit)) {
            return List.of();
        }
        List<String> lines = Files.readAllLines(audit);
        return lines.subList(Math.max(0, lines.size() - TRAIL_MAX), lines.size()).stream()
                .map(line -> line.split("\t", -1))
                // A process that was killed may leave a partial line.
                .filter(fields -> fields.length >= 3)
                .map(fields -> new Change(
                        Long.parseLong(fields[1]),
                        Instant.parse(fields[0]),
                        fields[2],
                        List.of(fields).subList(3, fields.length)))
                .toList();
    }
}
