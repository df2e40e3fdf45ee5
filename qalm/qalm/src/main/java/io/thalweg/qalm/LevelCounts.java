package io.thalweg.qalm;

import java.util.Map;

/**
 * The counts of the calls of one level since the start.
 *
 * @param outcomes admitted calls that have ended
 * @param refusals calls that were refused
 */
public record LevelCounts(Map<Outcome, Long> outcomes, Map<Refusal, Long> refusals) {
    /** The admitted calls that have ended. */
    public long served() {
        return outcomes.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The calls that the server shed. */
    public long shed() {
        return refusals.entrySet().stream()
                .filter(entry -> entry.getKey().shed())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** The calls refused for one reason. */
    public long refused(Refusal reason) {
        return refusals.getOrDefault(reason, 0L);
    }
}
