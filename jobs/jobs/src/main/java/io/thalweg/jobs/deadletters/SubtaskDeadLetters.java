package io.thalweg.jobs.deadletters;

import java.nio.file.Path;

/**
 * Appends letters as lines to a file per subtask, because processes on several machines cannot append to one file. The files of {@code
 * rides.dead.jsonl} are {@code rides.dead-0.jsonl}, {@code rides.dead-1.jsonl} and so on. A file is created with its first letter.
 *
 * @param path of the files, without the number; in a folder that exists on each machine
 */
public record SubtaskDeadLetters(String path) implements DeadLetters {
    @Override
    public DeadLetters.Writer open(int subtask) {
        return new FileDeadLetters(numbered(String.valueOf(subtask))).open(subtask);
    }

    /** A pattern of all the files, for messages. */
    public String pattern() {
        return numbered("*");
    }

    /** Inserts the number before the file extension. */
    private String numbered(String number) {
        Path whole = Path.of(path);
        String name = String.valueOf(whole.getFileName());
        int dot = name.lastIndexOf('.');
        String ending = dot < 0 ? "" : name.substring(dot);
        return whole.resolveSibling(name.substring(0, name.length() - ending.length()) + "-" + number + ending)
                .toString();
    }
}
