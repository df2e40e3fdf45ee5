package io.thalweg.runner;

import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/**
 * What one run of a variant has measured.
 *
 * @param events read; for a publication, rows
 * @param rows made or written
 * @param seconds from the first event to the last row
 * @param cpuSeconds CPU time of the whole process meanwhile
 * @param gcSeconds time that it spent on garbage collection
 * @param checkpoints completed checkpoints
 * @param checkpointMs duration of the longest checkpoint that was seen; 0 if there was none
 */
record TrialResult(
        long events,
        long rows,
        double seconds,
        double cpuSeconds,
        double gcSeconds,
        long checkpoints,
        long checkpointMs) {
    double eventsPerSecond() {
        return events / seconds;
    }

    /** CPU-seconds per million events. */
    double cpuPerMillion() {
        return cpuSeconds * 1e6 / events;
    }

    /** The share of the time that the collector took. */
    double gcShare() {
        return gcSeconds / seconds;
    }

    void write(Path file) throws IOException {
        Properties entries = new Properties();
        entries.setProperty("events", String.valueOf(events));
        entries.setProperty("rows", String.valueOf(rows));
        entries.setProperty("seconds", String.valueOf(seconds));
        entries.setProperty("cpu_seconds", String.valueOf(cpuSeconds));
        entries.setProperty("gc_seconds", String.valueOf(gcSeconds));
        entries.setProperty("checkpoints", String.valueOf(checkpoints));
        entries.setProperty("checkpoint_ms", String.valueOf(checkpointMs));
        try (Writer out = Files.newBufferedWriter(file)) {
            entries.store(out, null);
        }
    }

    static TrialResult read(Path file) throws IOException {
        Properties entries = new Properties();
        try (Reader in = Files.newBufferedReader(file)) {
            entries.load(in);
        }
        return new TrialResult(
                Long.parseLong(entries.getProperty("events", "0")),
                Long.parseLong(entries.getProperty("rows", "0")),
                Double.parseDouble(entries.getProperty("seconds", "0")),
                Double.parseDouble(entries.getProperty("cpu_seconds", "0")),
                Double.parseDouble(entries.getProperty("gc_seconds", "0")),
                Long.parseLong(entries.getProperty("checkpoints", "0")),
                Long.parseLong(entries.getProperty("checkpoint_ms", "0")));
    }
}
