package io.thalweg.model.view;

import io.thalweg.model.field.Condition;
import io.thalweg.model.source.Source;
import java.io.Serializable;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which events a view is computed from.
 *
 * @param lookups joined to events, in this order, before the events are evaluated
 * @param where all of them must hold for an event to be kept
 * @param types types of the fields that the view names, by path, as text; empty if events have no schema, or it was not read
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

    /** Creates an input of events without a schema. */
    public EventInput(
            Source source,
            List<Lookup> lookups,
            List<Condition> where,
            String deadLetterTopic,
            boolean failOnBadEvent) {
        this(source, lookups, where, deadLetterTopic, failOnBadEvent, Map.of());
    }

    /** Returns the same input with another source. */
    EventInput withSource(Source other) {
        return new EventInput(other, lookups, where, deadLetterTopic, failOnBadEvent, types);
    }
}
