package io.thalweg.model;

import java.io.Serializable;
import java.util.List;

/**
 * Which events a view is computed from.
 *
 * @param lookups what events get from tables before anything is asked of them, one after the other
 * @param where all of them must hold for an event to be kept
 */
public record EventInput(
        Source source, List<Lookup> lookups, List<Condition> where, String deadLetterTopic, boolean failOnBadEvent)
        implements Serializable {
    public EventInput {
        lookups = List.copyOf(lookups);
        where = List.copyOf(where);
    }
}
