package io.thalweg.jobs.compute;

import io.thalweg.model.source.Source;
import io.thalweg.model.view.FeatureView;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Names the reads of topics. Checkpoints identify their positions by these names. Views with the same {@code source} share a read; views
 * of one topic that differ in a setting read it separately. So does a view that is added to a resumed run, unless it starts at the end of
 * the topic: the others are beyond the events that it has to read.
 *
 * <p><b>Names.</b> The first read of a topic is called {@code source/CLUSTER/TOPICS}, each further one has the suffix {@code #VIEW}.
 * A read keeps the name that an earlier run gave it, whichever views are added or removed.
 */
public final class SourceNames {
    /** Precedes the view in the name of a further read. */
    private static final char FURTHER = '#';

    private SourceNames() {}

    /** Returns the name of a read that is the only one of its topics. */
    public static String plain(Source source) {
        return prefix(source) + String.join(",", source.topics());
    }

    private static String prefix(Source source) {
        return "source/" + source.kafka() + "/";
    }

    /** Returns whether the read with this name has the topics of a source, in any order. */
    public static boolean hasTopicsOf(String name, Source source) {
        String prefix = prefix(source);
        if (!name.startsWith(prefix)) {
            return false;
        }
        int hash = name.indexOf(FURTHER, prefix.length());
        String topics = name.substring(prefix.length(), hash < 0 ? name.length() : hash);
        return Set.copyOf(List.of(topics.split(",", -1))).equals(Set.copyOf(source.topics()));
    }

    /**
     * A read of topics.
     *
     * @param views those that share it, in the order of the job's views
     * @param resumes whether it continues at the positions of the resumed run
     */
    record Read(String name, Source source, List<FeatureView> views, boolean resumes) {}

    /** What views must have in common to share a read; {@code recorded} is its name in the resumed run, null if that had none. */
    private record Shared(Source source, @Nullable String recorded) {}

    /**
     * Returns the reads of a job's views.
     *
     * @param recorded the names in the resumed run, by the view's qualified name; empty if none is resumed
     */
    static List<Read> reads(List<FeatureView> views, Map<String, String> recorded) {
        Set<String> resumable = new HashSet<>(recorded.values());
        Set<String> taken = new HashSet<>(recorded.values());
        List<Read> reads = new ArrayList<>();
        sharing(views, recorded).forEach((shared, those) -> {
            String before = shared.recorded;
            if (before != null && resumable.remove(before)) {
                reads.add(new Read(before, shared.source, those, true));
                return;
            }
            String plain = plain(shared.source);
            // The resumed state may have positions under the plain name, even if none of its views is left.
            String name = recorded.isEmpty() && taken.add(plain)
                    ? plain
                    : further(plain + FURTHER + those.get(0).qualifiedName(), taken);
            reads.add(new Read(name, shared.source, those, false));
        });
        return reads;
    }

    /** Groups views by read. A view that is added begins at its own start, so it joins a read that is under way only at the end. */
    private static Map<Shared, List<FeatureView>> sharing(List<FeatureView> views, Map<String, String> recorded) {
        Map<Shared, List<FeatureView>> sharing = new LinkedHashMap<>();
        for (FeatureView view : views) {
            String before = recorded.get(view.qualifiedName());
            boolean resumes = before != null && hasTopicsOf(before, view.source());
            sharing.computeIfAbsent(new Shared(view.source(), resumes ? before : null), shared -> new ArrayList<>())
                    .add(view);
        }
        for (Shared added : List.copyOf(sharing.keySet())) {
            if (added.recorded == null && added.source.start().kind() == Source.Start.Kind.LATEST) {
                sharing.keySet().stream()
                        .filter(other -> other.recorded != null && other.source.equals(added.source))
                        .findFirst()
                        .ifPresent(other -> Objects.requireNonNull(sharing.get(other))
                                .addAll(Objects.requireNonNull(sharing.remove(added))));
            }
        }
        return sharing;
    }

    /**
     * Returns the name of each view's read, by the view's qualified name.
     *
     * @param recorded the names in the resumed run, by the view's qualified name; empty if none is resumed
     */
    public static Map<String, String> of(List<FeatureView> views, Map<String, String> recorded) {
        Map<String, String> byView = new LinkedHashMap<>();
        for (Read read : reads(views, recorded)) {
            read.views.forEach(view -> byView.put(view.qualifiedName(), read.name));
        }
        return byView;
    }

    private static String further(String wanted, Set<String> taken) {
        String name = wanted;
        while (!taken.add(name)) {
            name += FURTHER;
        }
        return name;
    }

    /** Returns the suffix that identifies a further read of a topic: {@code -VIEW}, empty for the first. */
    static String suffix(String name) {
        int hash = name.indexOf(FURTHER);
        return hash < 0 ? "" : "-" + name.substring(hash + 1);
    }
}
