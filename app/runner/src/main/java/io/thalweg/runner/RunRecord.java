package io.thalweg.runner;

import io.thalweg.jobs.StatePath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a run has recorded about itself, in the file {@value #FILE} of its folder. The file is written last: a folder without it, or
 * with a truncated one, is not a run.
 *
 * <p><b>Shape.</b> Lines: the checkpoint that the run resumed from, or an empty line; its names; {@code started=MS}. Runs of version
 * 0.1.0 did not record their start; the modification time of the file is used instead.
 *
 * @param begunFrom the checkpoint that the run resumed from; null = none
 * @param names the names of what the run computes or writes
 * @param startedMs in epoch milliseconds, later than the start of every run that its process found
 */
public record RunRecord(@Nullable StatePath begunFrom, List<String> names, long startedMs) {
    /** The name of the file. */
    public static final String FILE = "run.txt";

    private static final String STARTED = "started=";

    /** Not a compact constructor, because its class file would lose the nullness annotations. */
    public RunRecord(@Nullable StatePath begunFrom, List<String> names, long startedMs) {
        this.begunFrom = begunFrom;
        this.names = List.copyOf(names);
        this.startedMs = startedMs;
    }

    /** Reads the record of a folder; null if that is not the folder of a run. */
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
