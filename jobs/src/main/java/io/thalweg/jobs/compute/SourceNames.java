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
 * Names the reads of topics, by which checkpoints know their positions. Views whose {@code source} is the same share a read; views
 * of one topic that differ in a setting read it separately.
 *
 * <p><b>Names.</b> The first read of a topic is called {@code source/CLUSTER/TOPICS}, each further one has {@code #VIEW} behind it.
 * A read keeps the name that an earlier run gave it, whatever views come and go.
 */
public final class SourceNames {
    /** Stands before the view in the name of a further read. */
    private static final char FURTHER = '#';

    private SourceNames() {}

    /** The name of a read that is the only one of its topics. */
    public static String plain(Source source) {
        return prefix(source) + String.join(",", source.topics());
    }

    private static String prefix(Source source) {
        return "source/" + source.kafka() + "/";
    }

    /** Whether a read of this name has the topics of a source; the order in which they are listed does not matter. */
    public static boolean hasTopicsOf(String name, Source source) {
        String prefix = prefix(source);
        if (!name.startsWith(prefix)) {
            return false;
        }
        int hash = name.indexOf(FURTHER, prefix.length());
        String topics = name.substring(prefix.length(), hash < 0 ? name.length() : hash);
        return Set.copyOf(List.of(topics.split(",", -1))).equals(Set.copyOf(source.topics()));
    }

    /** The views of each read, in the order of the views. */
    static Map<Source, List<FeatureView>> reads(List<FeatureView> views) {
        Map<Source, List<FeatureView>> reads = new LinkedHashMap<>();
        for (FeatureView view : views) {
            reads.computeIfAbsent(view.source(), source -> new ArrayList<>()).add(view);
        }
        return reads;
    }

    /**
     * The name of each view's read, by the view's qualified name.
     *
     * @param recorded the names in the run that is resumed, by the view's qualified name
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

    /** Identifies a further read of a topic beside the first: {@code -VIEW}, empty for the first. */
    static String suffix(String name) {
        int hash = name.indexOf(FURTHER);
        return hash < 0 ? "" : "-" + name.substring(hash + 1);
    }
}
