package io.thalweg.jobs.letters;

import java.nio.file.Path;

/**
 * Letters as lines of files, one for each subtask, because processes on several machines cannot append to one: those of {@code
 * rides.dead.jsonl} are {@code rides.dead-0.jsonl}, {@code rides.dead-1.jsonl} and so on. A file is made when there is a first letter.
 *
 * @param path of the files, without the number; of a folder that is there on each machine
 */
public record SubtaskDeadLetters(String path) implements DeadLetters {
    @Override
    public DeadLetters.Writer open(int subtask) {
        return new FileDeadLetters(numbered(String.valueOf(subtask))).open(subtask);
    }

    /** All of the files, for people. */
    public String pattern() {
        return numbered("*");
    }

    /** The number is in front of the ending, which says what is in the file. */
    private String numbered(String number) {
        Path whole = Path.of(path);
        String name = String.valueOf(whole.getFileName());
        int dot = name.lastIndexOf('.');
        String ending = dot < 0 ? "" : name.substring(dot);
        return whole.resolveSibling(name.substring(0, name.length() - ending.length()) + "-" + number + ending)
                .toString();
    }
}
