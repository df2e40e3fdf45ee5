package io.thalweg.runner;

import io.thalweg.jobs.StatePath;
import io.thalweg.jobs.ingest.account.IngestAccount.Count;
import io.thalweg.jobs.ingest.account.IngestTotals;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.EnumMap;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The end of a bounded ingest, in a file beside its checkpoints. It is recorded with the last checkpoint, because Flink removes the
 * checkpoints of a finished job. Without it, a run that was killed right after its last commit would look like one that was killed
 * before its first checkpoint.
 *
 * @param checkpoint number of the last checkpoint; while that exists, its rows may not be committed yet
 * @param totals what the run has read
 * @param written what it has written; null = to be counted at the destination
 * @param seconds that the run took
 */
record IngestEnd(
        long checkpoint, IngestTotals totals, @Nullable Written written, double seconds) {
    /** Later than any checkpoint: nothing is left to commit. */
    private static final long REPORTED = Long.MAX_VALUE;

    private static final String CHECKPOINT = "checkpoint";
    private static final String SECONDS = "seconds";
    private static final String BAD = "bad.";
    private static final String COUNT = "count.";
    private static final String WRITTEN = "written.";

    /** Returns the end of the newest run of a job; null if that run can be resumed, or there is none. */
    static @Nullable IngestEnd of(JobPlan job) {
        RunFolder run = job.checkpoints().newestEnded(job.work().names());
        if (run == null) {
            return null;
        }
        IngestEnd end = read(RunFolder.end(run.path()));
        return job.checkpoints().hasCheckpointSince(run, end.checkpoint) ? null : end;
    }

    static IngestEnd read(StatePath file) {
        Properties entries = new Properties();
        try {
            String text = file.text();
            if (text == null) {
                throw new IOException("no such file");
            }
            entries.load(new StringReader(text));
        } catch (IOException e) {
            throw UserError.failed(
                            "%s cannot be read: %s".formatted(file, FileReason.of(e)), "start over with --resume none")
                    .causedBy(e);
        }
        return new IngestEnd(
                number(entries, CHECKPOINT),
                totals(entries),
                entries.containsKey(WRITTEN + "rows") ? written(entries) : null,
                Double.parseDouble(entries.getProperty(SECONDS, "0")));
    }

    private static IngestTotals totals(Properties entries) {
        Map<Count, Long> counts = new EnumMap<>(Count.class);
        for (Count count : Count.values()) {
            counts.put(count, number(entries, COUNT + count.text()));
        }
        Map<String, Long> bad = new TreeMap<>();
        for (String name : entries.stringPropertyNames()) {
            if (name.startsWith(BAD)) {
                bad.put(name.substring(BAD.length()), number(entries, name));
            }
        }
        return new IngestTotals(counts, bad);
    }

    private static Written written(Properties entries) {
        return new Written(
                number(entries, WRITTEN + "rows"),
                number(entries, WRITTEN + "refused"),
                number(entries, WRITTEN + "files"),
                number(entries, WRITTEN + "bytes"),
                number(entries, WRITTEN + "retries"));
    }

    private static long number(Properties entries, String name) {
        return Long.parseLong(entries.getProperty(name, "0"));
    }

    /** Returns the end of a run whose account is known. Its checkpoints, which Flink may not have removed yet, do not matter any more. */
    IngestEnd reported(Written all, double inSeconds) {
        return new IngestEnd(REPORTED, totals, all, inSeconds);
    }

    /** Replaces the whole file. */
    void write(StatePath file) throws IOException {
        Properties entries = new Properties();
        entries.setProperty(CHECKPOINT, String.valueOf(checkpoint));
        entries.setProperty(SECONDS, String.valueOf(seconds));
        totals.counts().forEach((count, number) -> entries.setProperty(COUNT + count.text(), String.valueOf(number)));
        totals.badByReason().forEach((reason, number) -> entries.setProperty(BAD + reason, String.valueOf(number)));
        if (written != null) {
            entries.setProperty(WRITTEN + "rows", String.valueOf(written.rows()));
            entries.setProperty(WRITTEN + "refused", String.valueOf(written.refused()));
            entries.setProperty(WRITTEN + "files", String.valueOf(written.files()));
            entries.setProperty(WRITTEN + "bytes", String.valueOf(written.bytes()));
            entries.setProperty(WRITTEN + "retries", String.valueOf(written.retries()));
        }
        StringWriter text = new StringWriter();
        entries.store(text, null);
        file.write(text.toString());
    }
}
