package io.thalweg.runner;

import java.nio.file.Path;
import java.util.regex.Matcher;

/** How the user calls this program. */
public final class Invocation {
    private static final String NAME = System.getProperty("thalweg.command", "thalweg");

    private Invocation() {}

    /** {@code thalweg}, or {@code ./thalweg} in a clone. */
    public static String name() {
        return NAME;
    }

    /** Returns the name by which the user calls this program from a folder: {@code ../thalweg} where {@link #name} is {@code ./thalweg}. */
    public static String nameFrom(Path folder) {
        return nameFrom(folder, NAME);
    }

    static String nameFrom(Path folder, String name) {
        Path command = Path.of(name);
        return command.isAbsolute()
                        || command.getNameCount() == 1
                        || folder.toString().isEmpty()
                ? name
                : folder.toAbsolutePath()
                        .normalize()
                        .relativize(command.toAbsolutePath().normalize())
                        .toString();
    }

    /** Returns a hint whose commands, written as {@code thalweg run}, begin with the name that the user calls. */
    public static String inHint(String hint) {
        return inHint(hint, NAME);
    }

    static String inHint(String hint, String name) {
        return hint.replaceAll("(?<![\\w./-])thalweg (?=--help|[a-z])", Matcher.quoteReplacement(name) + " ");
    }
}
