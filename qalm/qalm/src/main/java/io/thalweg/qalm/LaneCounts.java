package io.thalweg.qalm;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Counters of a lane; safe to increment from any thread. */
final class LaneCounts {
    final LongAdder passed = new LongAdder();
    final LongAdder failures = new LongAdder();
    private final LongAdder shed = new LongAdder();
    private final Map<Criticality, Level> levels = new EnumMap<>(Criticality.class);

    LaneCounts() {
        for (Criticality criticality : Criticality.values()) {
            levels.put(criticality, new Level());
        }
    }

    private static final class Level {
        final LongAdder arrivals = new LongAdder();
        final Map<Outcome, LongAdder> outcomes = adders(Outcome.class);
        final Map<Refusal, LongAdder> refusals = adders(Refusal.class);

        LevelCounts counts() {
            return new LevelCounts(sums(outcomes), sums(refusals));
        }
    }

    private static <K extends Enum<K>> Map<K, LongAdder> adders(Class<K> keys) {
        Map<K, LongAdder> adders = new EnumMap<>(keys);
        for (K key : keys.getEnumConstants()) {
            adders.put(key, new LongAdder());
        }
        return adders;
    }

    private static <K extends Enum<K>> Map<K, Long> sums(Map<K, LongAdder> adders) {
        Map<K, Long> sums = new EnumMap<>(adders.keySet().iterator().next().getDeclaringClass());
        adders.forEach((key, adder) -> sums.put(key, adder.sum()));
        return sums;
    }

    private Level at(Criticality criticality) {
        return Objects.requireNonNull(levels.get(criticality));
    }

    private static <K> void increment(Map<K, LongAdder> adders, K key) {
        Objects.requireNonNull(adders.get(key)).increment();
    }

    void arrived(Criticality criticality, int weight) {
        at(criticality).arrivals.add(weight);
    }

    void ended(Criticality criticality, Outcome outcome) {
        increment(at(criticality).outcomes, outcome);
    }

    void refused(Criticality criticality, Refusal reason, int weight) {
        increment(at(criticality).refusals, reason);
        if (reason.shed()) {
            shed.add(weight);
        }
    }

    long arrivals() {
        return levels.values().stream().mapToLong(level -> level.arrivals.sum()).sum();
    }

    /** The weight of the calls that the server shed; arrivals are counted by weight too. */
    long shed() {
        return shed.sum();
    }

    long neverDropArrivals() {
        return at(Criticality.INFRASTRUCTURE).arrivals.sum()
                + at(Criticality.CORE).arrivals.sum();
    }

    Map<Criticality, LevelCounts> byLevel() {
        Map<Criticality, LevelCounts> counts = new EnumMap<>(Criticality.class);
        levels.forEach((criticality, level) -> counts.put(criticality, level.counts()));
        return counts;
    }
}
