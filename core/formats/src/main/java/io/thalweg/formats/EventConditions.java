package io.thalweg.formats;

import io.thalweg.model.field.Condition;
import io.thalweg.model.view.FeatureView;
import java.util.List;

/**
 * Finds events that every view skips because of their own fields, whatever lookup tables contain, so that they need not be looked
 * up. A view with a condition on a looked-up field has no such events, because without that field the event might be bad.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class EventConditions {
    private static final EventConditions NONE = new EventConditions(new CompiledCondition[0][]);

    /** The conditions of each view. */
    private final CompiledCondition[][] views;

    private EventConditions(CompiledCondition[][] views) {
        this.views = views;
    }

    /** Compiles the conditions of all views of a projection. */
    public static EventConditions of(Projection projection) {
        List<FeatureView> views = projection.views();
        CompiledCondition[][] conditions = new CompiledCondition[views.size()][];
        for (int v = 0; v < conditions.length; v++) {
            conditions[v] = compiled(views.get(v).where(), projection.of(views.get(v)));
            for (CompiledCondition condition : conditions[v]) {
                if (condition.column() >= projection.paths().size()) {
                    return NONE;
                }
            }
        }
        return new EventConditions(conditions);
    }

    private static CompiledCondition[] compiled(List<Condition> where, Projection projection) {
        return where.stream()
                .map(condition -> new CompiledCondition(condition, projection))
                .toArray(CompiledCondition[]::new);
    }

    /** Whether every view skips a decoded event; false if that is not certain yet. */
    public boolean skips(EventColumns events, int e) {
        for (CompiledCondition[] view : views) {
            if (!skips(view, events, e)) {
                return false;
            }
        }
        return views.length > 0;
    }

    private static boolean skips(CompiledCondition[] view, EventColumns events, int e) {
        boolean matches = true;
        for (CompiledCondition condition : view) {
            if (condition.unfit(events, e) != null) {
                return false;
            }
            matches &= condition.matches(events, e);
        }
        return !matches;
    }
}
