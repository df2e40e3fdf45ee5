package io.thalweg.jobs;

import io.thalweg.formats.lookup.LookupTable;
import io.thalweg.formats.lookup.LookupTables;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;

/** Gauges of a job's lookup tables for Flink's reporters. All subtasks of a process report the same values, because they share them. */
public final class LookupGauges {
    private LookupGauges() {}

    /** Registers the gauges of all open tables; see {@code docs/reference/metrics.md} for the names. */
    public static void register(LookupTables tables, MetricGroup subtask) {
        tables.all()
                .forEach((lookup, table) -> register(
                        table,
                        subtask.addGroup("thalweg")
                                .addGroup("table", lookup.table().name())
                                .addGroup("key", lookup.key().text())));
    }

    private static void register(LookupTable table, MetricGroup group) {
        group.<Long, Gauge<Long>>gauge("lookup_hits", table::hits);
        group.<Long, Gauge<Long>>gauge("lookup_misses", table::misses);
        group.<Long, Gauge<Long>>gauge("lookup_failures", table::failures);
        group.<Integer, Gauge<Integer>>gauge("lookup_rows", table::size);
        group.<Double, Gauge<Double>>gauge("lookup_age_seconds", table::ageSeconds);
    }
}
