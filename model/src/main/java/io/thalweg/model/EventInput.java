package io.thalweg.model;

import java.io.Serializable;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which events a view is computed from.
 *
 * @param lookups what events get from tables before anything is asked of them, one after the other
 * @param where all of them must hold for an event to be kept
 * @param types those of the fields that the view names, by path, in words; empty where events have no schema, or it was not read
 */
public record EventInput(
        Source source,
        List<Lookup> lookups,
        List<Condition> where,
        String deadLetterTopic,
        boolean failOnBadEvent,
        Map<String, String> types)
        implements Serializable {
    public EventInput {
        lookups = List.copyOf(lookups);
        where = List.copyOf(where);
        types = Collections.unmodifiableMap(new TreeMap<>(types));
    }

    /** Of events without a schema. */
    public EventInput(
            Source source,
            List<Lookup> lookups,
            List<Condition> where,
            String deadLetterTopic,
            boolean failOnBadEvent) {
        this(source, lookups, where, deadLetterTopic, failOnBadEvent, Map.of());
    }

    /** The same events from elsewhere. */
    EventInput withSource(Source other) {
        return new EventInput(other, lookups, where, deadLetterTopic, failOnBadEvent, types);
    }
}
