package io.thalweg.jobs.ingest.account;

import io.thalweg.jobs.ingest.account.IngestAccount.Count;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The sum of several accounts at one moment.
 *
 * @param counts the value of each count
 * @param badByReason bad messages by reason; contains only reasons that occurred
 */
public record IngestTotals(Map<Count, Long> counts, Map<String, Long> badByReason) {
    public static IngestTotals of(Collection<IngestAccount> accounts) {
        Map<Count, Long> counts = new EnumMap<>(Count.class);
        Map<String, Long> badByReason = new TreeMap<>();
        for (IngestAccount account : accounts) {
            for (Count count : Count.values()) {
                counts.merge(count, account.get(count), Long::sum);
            }
            account.reasons().forEach((reason, bad) -> badByReason.merge(reason, bad.get(), Long::sum));
        }
        return new IngestTotals(counts, badByReason);
    }

    /** The value of a count. */
    public long get(Count count) {
        return counts.getOrDefault(count, 0L);
    }

    /** Returns the increase since an earlier moment. */
    public IngestTotals minus(IngestTotals before) {
        Map<Count, Long> more = new EnumMap<>(Count.class);
        counts.forEach((count, number) -> more.put(count, number - before.get(count)));
        Map<String, Long> moreBad = new TreeMap<>();
        badByReason.forEach((reason, bad) -> {
            long since = bad - before.badByReason.getOrDefault(reason, 0L);
            if (since != 0) {
                moreBad.put(reason, since);
            }
        });
        return new IngestTotals(more, moreBad);
    }
}
