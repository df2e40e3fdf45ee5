package io.thalweg.jobs.compute;

import io.thalweg.model.FeatureView;
import io.thalweg.model.Source;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Names the reads of topics. Checkpoints identify their positions by these names. Views with the same {@code source} share a read; views
 * of one topic that differ in a setting read it separately.
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

    /** Returns the views of each read, in the order of the views. */
    static Map<Source, List<FeatureView>> reads(List<FeatureView> views) {
        Map<Source, List<FeatureView>> reads = new LinkedHashMap<>();
        for (FeatureView view : views) {
            reads.computeIfAbsent(view.source(), source -> new ArrayList<>()).add(view);
        }
        return reads;
    }

    /**
     * Returns the name of each view's read, by the view's qualified name.
     *
     * @param recorded the names in the resumed run, by the view's qualified name
     */
    public static Map<String, String> of(List<FeatureView> views, Map<String, String> recorded) {
        Map<Source, List<FeatureView>> reads = reads(views);
        Map<Source, String> names = new LinkedHashMap<>();
        Set<String> taken = new HashSet<>();
        reads.forEach((source, sharing) -> {
            for (FeatureView view : sharing) {
                String before = recorded.get(view.qualifiedName());
                if (before != null && hasTopicsOf(before, source) && taken.add(before)) {
                    names.put(source, before);
                    return;
                }
            }
        });
        Map<String, String> byView = new LinkedHashMap<>();
        reads.forEach((source, sharing) -> {
            String name = names.get(source);
            if (name == null) {
                String plain = plain(source);
                name = taken.add(plain)
                        ? plain
                        : further(plain + FURTHER + sharing.get(0).qualifiedName(), taken);
            }
            for (FeatureView view : sharing) {
                byView.put(view.qualifiedName(), name);
            }
        });
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
