package io.thalweg.cli.run;

import io.thalweg.jobs.StatePath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a run has recorded about itself, in the file {@value #FILE} of its folder. It is written last: a folder without it, or whose
 * file was cut short, is not a run.
 *
 * <p><b>Shape.</b> Lines: the checkpoint that the run began from, or nothing; its names; {@code started=MS}. Runs of version 0.1.0 have
 * not recorded their start, for which the time of the file stands.
 *
 * @param begunFrom a checkpoint; null = nothing
 * @param names of what the run computes or writes
 * @param startedMs in epoch milliseconds, later than the start of every run that its process found
 */
record RunRecord(@Nullable StatePath begunFrom, List<String> names, long startedMs) {
    /** The name of the file. */
    static final String FILE = "run.txt";

    private static final String STARTED = "started=";

    /** Spelled out, since a compact constructor loses in its class file what may be null. */
    RunRecord(@Nullable StatePath begunFrom, List<String> names, long startedMs) {
        this.begunFrom = begunFrom;
        this.names = List.copyOf(names);
        this.startedMs = startedMs;
    }

    /** The record of a folder; null if that is not the folder of a run. */
    static @Nullable RunRecord of(StatePath folder) throws IOException {
        StatePath file = folder.resolve(FILE);
        String text = file.text();
        if (text == null || !text.endsWith("\n")) {
            return null;
        }
        List<String> lines = text.lines().toList();
        String begunFrom = lines.get(0);
        List<String> rest = lines.subList(1, lines.size());
        String last = rest.isEmpty() ? "" : rest.get(rest.size() - 1);
        boolean timed = last.matches(STARTED + "\\d{1,18}");
        return new RunRecord(
                begunFrom.isEmpty() ? null : StatePath.of(begunFrom),
                timed ? rest.subList(0, rest.size() - 1) : rest,
                timed ? Long.parseLong(last.substring(STARTED.length())) : file.modifiedMs());
    }

    void write(StatePath folder) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add(begunFrom == null ? "" : begunFrom.toString());
        names.stream().sorted().forEach(lines::add);
        lines.add(STARTED + startedMs);
        folder.resolve(FILE).write(String.join("\n", lines) + "\n");
    }
}
