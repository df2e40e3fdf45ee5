package io.thalweg.model.yaml;

import io.thalweg.model.problem.Suggestion;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/**
 * A mapping of a YAML file. Keys that were requested count as known: {@link #close} reports all others, each with the nearest
 * known key. Duplicate keys are problems.
 */
public final class YamlMap {
    private final YamlValue self;
    private final Map<String, YamlValue> entries = new LinkedHashMap<>();
    private final Map<String, YamlValue> keys = new LinkedHashMap<>();
    private final Set<String> known = new TreeSet<>();

    public YamlMap(YamlValue self, List<NodeTuple> tuples) {
        this.self = self;
        for (NodeTuple tuple : tuples) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
                self.child(".?", tuple.getKeyNode()).wrong("a key of plain text");
                continue;
            }
            String name = key.getValue();
            keys.put(name, self.child("." + name, key));
            if (entries.put(name, self.child("." + name, tuple.getValueNode())) != null) {
                self.child("." + name, key).problem("is there twice; keep one");
            }
        }
    }

    public YamlValue self() {
        return self;
    }

    /** Returns the keys that are there; they do not count as known. */
    public Set<String> names() {
        return entries.keySet();
    }

    public boolean has(String key) {
        known.add(key);
        return entries.containsKey(key);
    }

    /** Returns the key as a value, for problems that belong to the key. */
    public YamlValue key(String key) {
        return keys.getOrDefault(key, self);
    }

    public Optional<YamlValue> optional(String key) {
        known.add(key);
        return Optional.ofNullable(entries.get(key));
    }

    public Optional<YamlValue> required(String key, String example) {
        Optional<YamlValue> value = optional(key);
        if (value.isEmpty() && self.isMap()) {
            self.problemAt(key, "is required, such as " + key + ": " + example);
        }
        return value;
    }

    /** Refuses a specified key that this version does not support; returns whether it was present. */
    public boolean unsupported(String key) {
        return refused(key, "is not supported in this version; remove it");
    }

    /** Refuses a key for a given reason; returns whether it was present. */
    public boolean refused(String key, String problem) {
        boolean there = entries.containsKey(key);
        if (there) {
            key(key).problem(problem);
            entries.remove(key);
        }
        return there;
    }

    /** Returns all entries and marks all keys as known. */
    public Map<String, YamlValue> all() {
        known.addAll(entries.keySet());
        return entries;
    }

    /** Reports every key that was not read. */
    public void close() {
        for (String key : entries.keySet()) {
            if (!known.contains(key)) {
                key(key).problem("is not a known key; " + Suggestion.hint(key, known));
            }
        }
    }
}
