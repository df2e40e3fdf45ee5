package io.thalweg.store;

import io.thalweg.model.view.FeatureView;
import java.util.IdentityHashMap;
import java.util.function.Function;

/**
 * What a store derives from each view that it reads, such as a codec: it is created once, because creating it takes longer than reading
 * some rows.
 *
 * <p><b>Threads.</b> Safe, if what is created is.
 */
public final class PerView<T> {
    /** More views than a process serves; beyond, all are derived again. */
    private static final int MOST = 256;

    private final Function<FeatureView, T> create;
    /** By identity, because comparing views compares their whole definitions. Never changed, but replaced. */
    private volatile IdentityHashMap<FeatureView, T> known = new IdentityHashMap<>();

    public PerView(Function<FeatureView, T> create) {
        this.create = create;
    }

    /** Returns what belongs to a view. */
    public T of(FeatureView view) {
        T found = known.get(view);
        return found == null ? add(view) : found;
    }

    private synchronized T add(FeatureView view) {
        IdentityHashMap<FeatureView, T> more =
                known.size() < MOST ? new IdentityHashMap<>(known) : new IdentityHashMap<>();
        T added = more.computeIfAbsent(view, create);
        known = more;
        return added;
    }
}
