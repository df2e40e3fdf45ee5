package io.thalweg.runner;

import io.thalweg.jobs.ingest.deadletters.SavedDeadLetter;
import io.thalweg.model.yaml.DurationText;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which dead letters are replayed.
 *
 * @param reasons empty = any
 * @param stages empty = any
 * @param since letters that are older, or have no time, are left; null = any
 * @param limit the most letters to select
 */
public record DeadLetterSelection(
        Set<String> reasons, Set<String> stages, @Nullable Instant since, long limit) {
    /**
     * Creates a selection from options.
     *
     * @param since a time, or a duration before now; null = any
     * @param limit null = all
     * @throws UserError if {@code since} is neither, or the limit is below 1
     */
    public static DeadLetterSelection of(
            List<String> reasons, List<String> stages, @Nullable String since, @Nullable Long limit, Instant now) {
        if (limit != null && limit < 1) {
            throw UserError.usage("--limit must be at least 1, was " + limit, "such as --limit 100");
        }
        return new DeadLetterSelection(
                new TreeSet<>(reasons),
                new TreeSet<>(stages),
                since == null ? null : instant(since, now),
                limit == null ? Long.MAX_VALUE : limit);
    }

    private static Instant instant(String since, Instant now) {
        try {
            return Instant.parse(since);
        } catch (DateTimeException e) {
            try {
                return now.minus(DurationText.parse(since).duration());
            } catch (IllegalArgumentException | DateTimeException f) {
                throw UserError.usage(
                        "--since must be a time or a duration, was '" + since + "'",
                        "such as --since 2026-01-01T00:00:00Z or --since 2h");
            }
        }
    }

    /** Whether a letter is selected, apart from the limit. */
    boolean matches(SavedDeadLetter letter) {
        Instant time = letter.time();
        return (reasons.isEmpty() || reasons.contains(letter.reason()))
                && (stages.isEmpty() || stages.contains(letter.stage()))
                && (since == null || (time != null && !time.isBefore(since)));
    }
}
