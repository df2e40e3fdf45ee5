package io.thalweg.model;

import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;

/**
 * The schema of a source's events. It holds what the files held when the definition was loaded, because a job's tasks may run
 * where the files are not.
 *
 * @param at where the schema is
 * @param files contents of the file and of those that it includes, by name, one character per byte (ISO 8859-1); empty where the
 *     schema was not read, because nothing decodes events there
 */
public record EventSchema(Ingest.Schema at, Map<String, String> files) implements Serializable {
    public EventSchema {
        files = java.util.Collections.unmodifiableMap(new TreeMap<>(files));
    }

    /** A schema that was not read. */
    static EventSchema unread(Ingest.Schema at) {
        return new EventSchema(at, Map.of());
    }

    /** Without the contents. */
    @Override
    public String toString() {
        return "EventSchema[at=" + at + "]";
    }
}
