package io.thalweg.runner;

import io.thalweg.jobs.StatePath;
import io.thalweg.jobs.compute.SourceNames;
import io.thalweg.model.source.Source;
import io.thalweg.model.view.FeatureView;
import io.thalweg.model.view.ViewFingerprint;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a run has recorded about one of its views, so that the next run can refuse or report a change before it opens anything: the view's
 * fingerprint, the settings that decide which events are late, and the name of its read ({@link SourceNames}).
 *
 * <p><b>Shape.</b> Lines {@code key=value}. Those of timing start with {@value #TIMING}, that of the read with {@value #SOURCE}; all
 * others belong to the fingerprint.
 */
record ViewRecord(String fingerprint, Map<String, String> timing, String source) {
    private static final String TIMING = "timing.";
    private static final String SOURCE = "read=";

    static ViewRecord of(FeatureView view, String read) {
        Source source = view.source();
        Map<String, String> timing = new LinkedHashMap<>();
        timing.put("max_out_of_orderness", source.maxOutOfOrderness().text());
        timing.put("idle_after", source.idleAfter().text());
        timing.put("max_future", source.maxFuture().text());
        return new ViewRecord(ViewFingerprint.of(view), timing, read);
    }

    private static StatePath file(StatePath run, FeatureView view) {
        return run.resolve("view-" + view.qualifiedName() + ".txt");
    }

    /** Reads the record of a view; null in runs of earlier versions. */
    private static @Nullable ViewRecord of(StatePath run, FeatureView view) throws IOException {
        String text = file(run, view).text();
        return text == null ? null : parse(text.lines().toList());
    }

    void write(StatePath run, FeatureView view) throws IOException {
        String timings = timing.entrySet().stream()
                .map(entry -> TIMING + entry.getKey() + "=" + entry.getValue() + "\n")
                .collect(Collectors.joining());
        file(run, view).write(SOURCE + source + "\n" + timings + fingerprint + "\n");
    }

    /**
     * Compares a view with what a run has recorded about it. Runs of earlier versions recorded nothing.
     *
     * @return the changes that are not refused, for people
     * @throws UserError if the view has changed so that the state of that run no longer fits
     */
    static List<String> check(StatePath run, FeatureView view) throws IOException {
        ViewRecord before = of(run, view);
        if (before == null) {
            return List.of();
        }
        ViewFingerprint.incompatibility(before.fingerprint, view).ifPresent(change -> {
            throw UserError.failed(change, "");
        });
        List<String> changes = new ArrayList<>();
        of(view, before.source).timing.forEach((key, now) -> {
            String was = before.timing.getOrDefault(key, now);
            if (!was.equals(now)) {
                changes.add("view %s: source.%s was %s, is %s: from here on it decides which events are late"
                        .formatted(view.qualifiedName(), key, was, now));
            }
        });
        return changes;
    }

    /** Returns the name of a view's read in a run. Runs of earlier versions read each topic once. */
    static String source(StatePath run, FeatureView view) throws IOException {
        ViewRecord before = of(run, view);
        return before == null ? SourceNames.plain(view.source()) : before.source;
    }

    private static ViewRecord parse(List<String> lines) {
        String source = "";
        Map<String, String> timing = new LinkedHashMap<>();
        List<String> fingerprint = new ArrayList<>();
        for (String line : lines) {
            int equals = line.indexOf('=');
            if (line.startsWith(SOURCE)) {
                source = line.substring(SOURCE.length());
            } else if (line.startsWith(TIMING) && equals > 0) {
                timing.put(line.substring(TIMING.length(), equals), line.substring(equals + 1));
            } else {
                fingerprint.add(line);
            }
        }
        return new ViewRecord(String.join("\n", fingerprint), timing, source);
    }
}
