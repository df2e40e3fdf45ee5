package io.thalweg.bench.demand;

import io.thalweg.bench.harness.Child;
import io.thalweg.bench.harness.Figures;
import java.io.IOException;

/**
 * Counters of all processes at one moment; rates are the difference of two samples.
 *
 * @param sourceBytes that the readers of the source have written to the network: blocks of events on their way to accumulation
 */
record Sample(
        long wallMs,
        double thalweg,
        double generator,
        double broker,
        double storeSeconds,
        long events,
        long crossed,
        long rows,
        long rowsOfAllViews,
        long sourceBytes) {
    static final String ROWS_TOTAL = "thalweg_rows_total";
    /** The label of the measured view's metrics. */
    static final String OF_VIEW = "view=\"demand\"";

    static Sample take(TestBed testBed, LiveThalweg thalweg, Child generator) throws IOException, InterruptedException {
        double cpu = thalweg.process().cpuSeconds();
        long wallMs = System.currentTimeMillis();
        ThalwegServer.Metrics metrics = thalweg.server().metrics();
        return new Sample(
                wallMs,
                cpu,
                generator.cpuSeconds(),
                testBed.broker().process().cpuSeconds(),
                testBed.store().processorSeconds(),
                metrics.sum("thalweg_events_total", OF_VIEW),
                metrics.sum("thalweg_events_sent_total", OF_VIEW),
                metrics.sum(ROWS_TOTAL, OF_VIEW),
                metrics.sum(ROWS_TOTAL, ""),
                thalweg.flink().networkBytes("route"));
    }

    /** The seconds since an earlier sample. */
    double secondsSince(Sample begin) {
        return (wallMs - begin.wallMs) / 1_000.0;
    }

    /**
     * Reports the rates and the CPU time since an earlier sample.
     *
     * @param featuresPerRow the number of values in a row of each view
     */
    void report(Sample begin, int featuresPerRow, Figures figures) {
        double seconds = secondsSince(begin);
        double ofEvents = events - begin.events;
        double cpu = thalweg - begin.thalweg;
        double brokerCpu = broker - begin.broker;
        double storeCpu = storeSeconds - begin.storeSeconds;
        double features = (double) (rowsOfAllViews - begin.rowsOfAllViews) * featuresPerRow;
        figures.put("measured_seconds", seconds)
                .put("events_per_second", ofEvents / seconds)
                .put("cpu_seconds_per_million_events", cpu / (ofEvents / 1e6))
                .put("cores_average", cpu / seconds)
                .put("generator_cores_average", (generator - begin.generator) / seconds)
                .put("broker_cores_average", brokerCpu / seconds)
                .put("store_cores_average", storeCpu / seconds)
                .put("cpu_seconds_per_million_features", (cpu + brokerCpu + storeCpu) / (features / 1e6))
                .put("rows_per_second", (rows - begin.rows) / seconds)
                .put("crossing_share", (crossed - begin.crossed) / ofEvents)
                .put("crossing_bytes_per_event", (sourceBytes - begin.sourceBytes) / ofEvents);
    }
}
