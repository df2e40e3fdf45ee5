package io.thalweg.model.yaml;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Reads paths of files, which are relative to the definition, so that both can be moved together. */
public final class SiblingPaths {
    private SiblingPaths() {}

    /**
     * Returns an absolute path, or {@code ?} after reporting a problem.
     *
     * @param example the expected value, such as {@code a file such as ads.csv}
     */
    public static String read(YamlValue value, String example) {
        String text = value.text();
        try {
            if (!text.isBlank()) {
                return Path.of(value.file())
                        .resolveSibling(text)
                        .toAbsolutePath()
                        .normalize()
                        .toString();
            }
        } catch (InvalidPathException e) {
            // Reported below.
        }
        if (value.isText()) {
            value.wrong(example);
        }
        return "?";
    }

    /** Returns the absolute path of a file or folder of this machine, or {@code ?} after reporting a problem. */
    public static String readLocal(YamlValue value) {
        if (value.text().matches("[A-Za-z][A-Za-z0-9+.-]*://.*")) {
            value.problem("must be a path of this machine: other file systems are not supported in this version;"
                    + " mount it, such as /mnt/lake/driver_stats");
            return "?";
        }
        return read(value, "a file or folder such as /lake/driver_stats");
    }
}
