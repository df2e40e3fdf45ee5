package io.thalweg.qalm;

import java.util.Map;

/**
 * The counts of the calls of one level since the start.
 *
 * @param outcomes calls that were worked on and have ended
 * @param refusals calls that were not worked on
 */
public record LevelCounts(Map<Outcome, Long> outcomes, Map<Refusal, Long> refusals) {
    /** Calls that were worked on and have ended. */
    public long served() {
        return outcomes.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Calls that the server refused by choice. */
    public long shed() {
        return refusals.entrySet().stream()
                .filter(entry -> entry.getKey().shed())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** Calls refused for one reason. */
    public long refused(Refusal reason) {
        return refusals.getOrDefault(reason, 0L);
    }
}
