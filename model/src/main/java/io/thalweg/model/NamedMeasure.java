package io.thalweg.model;

import java.io.Serializable;
import java.util.List;

/**
 * A measure of a view without rings.
 *
 * @param name its features are called {@code {name}_{window}}: as given, or made of function and field
 * @param where what must hold, beside the view's own conditions, for an event to be measured
 * @param perMinute whether a count, sum or distinct count is divided by the window's minutes
 */
public record NamedMeasure(String name, Measure measure, List<Condition> where, boolean perMinute)
        implements Serializable {
    public NamedMeasure {
        where = List.copyOf(where);
    }
}
