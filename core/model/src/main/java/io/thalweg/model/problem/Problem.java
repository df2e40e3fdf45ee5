package io.thalweg.model.problem;

/**
 * A problem at one place of a file.
 *
 * @param line from 1; 0 if unknown
 * @param path of keys, such as {@code windows.sizes[1]}; empty for a whole document
 * @param message the rule, the value found and a valid one
 */
public record Problem(String file, int line, String path, String message) {
    /** {@code demand.yaml:12: windows.sizes[1]: …}. */
    @Override
    public String toString() {
        return file + (line > 0 ? ":" + line : "") + ": " + (path.isEmpty() ? "" : path + ": ") + message;
    }
}
