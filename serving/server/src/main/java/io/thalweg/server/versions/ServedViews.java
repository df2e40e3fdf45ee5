package io.thalweg.server.versions;

import io.thalweg.model.problem.Suggestion;
import io.thalweg.model.view.FeatureView;
import io.thalweg.server.http.RefusedRequestException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The views that a server reads, and the view that each name refers to. A qualified name, such as {@code demand_v2}, always
 * refers to that view. The common name of all versions of a view, such as {@code demand}, refers to the version that it was
 * switched to, or to version 1 if it was never switched; {@code demand_v1} always does.
 *
 * <p><b>Threads.</b> Safe. A name refers to one view at any time: a request that looks it up once is answered from one version.
 */
public final class ServedViews {
    private static final String FIRST = "_v1";

    private final Map<String, FeatureView> byQualifiedName = new LinkedHashMap<>();
    private final Map<String, FeatureView> switched = new ConcurrentHashMap<>();

    public ServedViews(List<FeatureView> views) {
        views.forEach(view -> byQualifiedName.put(view.qualifiedName(), view));
    }

    /** All views, in the order given. */
    public List<FeatureView> all() {
        return List.copyOf(byQualifiedName.values());
    }

    /** Returns the same views by their qualified names only. */
    public ServedViews exact() {
        return new ServedViews(all());
    }

    Optional<FeatureView> byQualifiedName(String name) {
        return Optional.ofNullable(byQualifiedName.get(name));
    }

    /** The loaded versions of a name, the earliest first. */
    public List<FeatureView> versions(String name) {
        return byQualifiedName.values().stream()
                .filter(view -> view.name().equals(name))
                .sorted((one, other) -> Integer.compare(one.version(), other.version()))
                .toList();
    }

    public Optional<FeatureView> find(String name) {
        FeatureView alias = switched.get(name);
        FeatureView view = alias == null ? byQualifiedName.get(name) : alias;
        if (view == null && name.endsWith(FIRST)) {
            view = byQualifiedName.get(name.substring(0, name.length() - FIRST.length()));
        }
        return Optional.ofNullable(view);
    }

    /**
     * Returns the view that a name refers to now.
     *
     * @throws RefusedRequestException if there is none
     */
    public FeatureView get(String name) {
        return find(name)
                .orElseThrow(() -> new RefusedRequestException(
                        RefusedRequestException.Code.NOT_FOUND,
                        "view '" + name + "' is not served; " + Suggestion.hint(name, byQualifiedName.keySet())));
    }

    /** Makes the name of a view refer to this version. */
    void switchTo(FeatureView version) {
        switched.put(version.name(), version);
    }
}
