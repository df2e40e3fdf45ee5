package io.thalweg.model.source;

import java.io.Serializable;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The schema of a source's events. It contains what the files or the registry contained when the definition was loaded: a job's
 * tasks may run on machines without the files, and the schema of a job does not change while it runs.
 *
 * @param at where the schema is
 * @param files contents of the file and of those that it includes, by name, one character per byte (ISO 8859-1); of a registry
 *     the schema that was read; empty if the schema was not read, because nothing decodes events
 * @param registered the registry of the schemas that events name; null if there is no registry, or the schema was not read
 */
public record EventSchema(
        Source.Schema at,
        Map<String, String> files,
        @Nullable Registered registered) implements Serializable {
    public EventSchema {
        files = Collections.unmodifiableMap(new TreeMap<>(files));
    }

    /**
     * The registry of a schema that was read.
     *
     * @param url of the registry
     * @param authorization the header of each request, which is secret; empty = none
     * @param id of the schema that was read
     */
    public record Registered(String url, String authorization, int id) implements Serializable {
        /** Omits the secret. */
        @Override
        public String toString() {
            return "schema %d at %s".formatted(id, url);
        }
    }

    /** Creates a schema that was not read. */
    static EventSchema unread(Source.Schema at) {
        return new EventSchema(at, Map.of(), null);
    }

    /** The key in {@link #files} of the schema itself: its file, or its subject with the version that was read. */
    public String name() {
        Source.Subject subject = at.subject();
        if (subject == null) {
            return Path.of(at.file()).normalize().toString();
        }
        return files.keySet().stream().findFirst().orElse(subject.name());
    }

    /** Omits the contents. */
    @Override
    public String toString() {
        return "EventSchema[at=" + at + "]";
    }
}
