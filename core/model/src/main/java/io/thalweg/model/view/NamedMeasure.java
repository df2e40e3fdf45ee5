package io.thalweg.model.view;

import io.thalweg.model.field.Condition;
import java.io.Serializable;
import java.util.List;

/**
 * A measure of a view without rings.
 *
 * @param name its features are named {@code {name}_{window}}; as given, or derived from function and field
 * @param where conditions for an event to be measured, in addition to the view's own
 * @param perMinute whether a count, sum or distinct count is divided by the window's minutes
 */
public record NamedMeasure(String name, Measure measure, List<Condition> where, boolean perMinute)
        implements Serializable {
    public NamedMeasure {
        where = List.copyOf(where);
    }
}
