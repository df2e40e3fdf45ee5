package io.thalweg.runner;

import io.thalweg.model.problem.Suggestion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A job as it is, or with one setting changed.
 *
 * @param key what is changed; null = nothing, the baseline
 */
record TrialVariant(@Nullable TrialKey key, TrialSettings settings) {
    private static final List<String> CHECKPOINTS = List.of("1s", "1m");
    private static final List<String> COLLECTORS = List.of("parallel", "g1", "serial");

    /** For people: {@code baseline}, or the key and its value. */
    String name() {
        return key == null ? "baseline" : key.text() + " " + settings.get(key);
    }

    /**
     * Returns the baseline and variants of it that differ in one setting.
     *
     * @param vary {@code KEY=VALUE,…}; empty = those that usually matter
     * @param loads whether the job writes to a store in batches
     * @param processors of this machine
     * @param memory of this machine, bytes
     * @throws UserError if a variant is wrong
     */
    static List<TrialVariant> of(
            TrialSettings baseline, List<String> vary, boolean loads, int processors, long memory) {
        Set<TrialVariant> variants = new LinkedHashSet<>();
        variants.add(new TrialVariant(null, baseline));
        Set<TrialVariant> others =
                vary.isEmpty() ? usual(baseline, loads, processors, memory) : asked(baseline, vary, loads);
        others.stream().filter(each -> !each.settings().equals(baseline)).forEach(variants::add);
        if (variants.size() == 1) {
            throw UserError.usage(
                    "--vary names only what the baseline has",
                    "name other values; the baseline is always among the variants");
        }
        return List.copyOf(variants);
    }

    private static Set<TrialVariant> asked(TrialSettings baseline, List<String> vary, boolean loads) {
        Set<TrialVariant> variants = new LinkedHashSet<>();
        for (String each : vary) {
            String[] parts = each.split("=", 2);
            TrialKey key = key(parts[0]);
            if (parts.length < 2) {
                throw UserError.usage(
                        "--vary must be KEY=VALUE,…, was '%s'".formatted(each), "such as --vary gc=g1,serial");
            }
            if (key.isOfLoad() && !loads) {
                throw UserError.usage(
                        "--vary %s goes with --publish only: no other job writes in batches of load"
                                .formatted(key.text()),
                        "add --publish, or leave it out");
            }
            add(variants, baseline, key, Arrays.asList(parts[1].split(",", -1)));
        }
        return variants;
    }

    private static TrialKey key(String name) {
        return Arrays.stream(TrialKey.values())
                .filter(key -> key.text().equals(name))
                .findFirst()
                .orElseThrow(() -> UserError.usage(
                        "--vary: there is no key '%s'; there are: %s".formatted(name, TrialKey.list()),
                        Suggestion.hint(
                                name,
                                Arrays.stream(TrialKey.values())
                                        .map(TrialKey::text)
                                        .toList())));
    }

    private static Set<TrialVariant> usual(TrialSettings baseline, boolean loads, int processors, long memory) {
        Set<TrialVariant> variants = new LinkedHashSet<>();
        List<String> subtasks = new ArrayList<>();
        if (baseline.parallelism() > 1) {
            subtasks.add(String.valueOf(baseline.parallelism() / 2));
        }
        if (baseline.parallelism() < processors) {
            subtasks.add(String.valueOf(Math.min(processors, 2 * baseline.parallelism())));
        }
        add(variants, baseline, TrialKey.PARALLELISM, subtasks);
        add(variants, baseline, TrialKey.GC, COLLECTORS);
        List<String> heaps = new ArrayList<>(List.of(megabytes(baseline.heapBytes() / 2)));
        if (4 * baseline.heapBytes() <= memory) { // twice the heap, in half of the memory
            heaps.add(megabytes(2 * baseline.heapBytes()));
        }
        add(variants, baseline, TrialKey.HEAP, heaps);
        add(variants, baseline, TrialKey.CHECKPOINTS, CHECKPOINTS);
        if (loads) {
            int rows = baseline.load().batchRows();
            add(
                    variants,
                    baseline,
                    TrialKey.BATCH_ROWS,
                    List.of(String.valueOf(Math.max(1, rows / 5)), String.valueOf(Math.min(1_000_000, 4 * rows))));
            int inFlight = baseline.load().inFlight();
            add(
                    variants,
                    baseline,
                    TrialKey.IN_FLIGHT,
                    List.of(String.valueOf(Math.max(1, inFlight / 4)), String.valueOf(Math.min(256, 4 * inFlight))));
        }
        return variants;
    }

    private static String megabytes(long bytes) {
        return String.format(Locale.ROOT, "%dm", Math.max(1, bytes >> 20));
    }

    private static void add(Set<TrialVariant> variants, TrialSettings baseline, TrialKey key, List<String> values) {
        values.forEach(value -> variants.add(new TrialVariant(key, baseline.with(key, value))));
    }
}
