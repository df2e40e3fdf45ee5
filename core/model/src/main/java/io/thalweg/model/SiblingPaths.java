package io.thalweg.model;

import io.thalweg.model.yaml.YamlValue;
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
}
