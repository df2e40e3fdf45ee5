package io.thalweg.model.deployment;

import io.thalweg.model.yaml.YamlFile;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.List;

/**
 * A text with secrets, some of which files may contain. Files are read again for each new connection, so that a secret can change
 * while processes run; for a job on a Flink cluster, on the machines of its tasks.
 *
 * <p><b>Threads.</b> Immutable.
 *
 * @param text the text as it was when the command started
 * @param around the parts of the text before, between and after the contents of files
 * @param files the paths of these files, one fewer than {@code around}
 */
public record Secret(String text, List<String> around, List<String> files) implements Serializable {
    public Secret {
        around = List.copyOf(around);
        files = List.copyOf(files);
        if (around.size() != files.size() + 1) {
            throw new IllegalArgumentException("around must have one part more than files, were " + around.size()
                    + " parts and " + files.size() + " files");
        }
    }

    /** Creates a secret that no file contains. */
    public static Secret of(String text) {
        return new Secret(text, List.of(text), List.of());
    }

    /** Returns the text as it is now. It is {@link #text} where a file cannot be read, as on a machine that does not have it. */
    public String now() {
        StringBuilder now = new StringBuilder(around.get(0));
        try {
            for (int i = 0; i < files.size(); i++) {
                now.append(contents(Path.of(files.get(i)))).append(around.get(i + 1));
            }
        } catch (IOException e) {
            return text;
        }
        return now.toString();
    }

    /** Returns the contents of a file without the trailing line break, which editors add. */
    static String contents(Path file) throws IOException {
        return YamlFile.text(file).replaceFirst("\\r?\\n\\z", "");
    }

    /** Hides the text. */
    @Override
    public String toString() {
        return "***";
    }
}
