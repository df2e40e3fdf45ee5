package io.thalweg.model.deployment;

import io.thalweg.model.yaml.YamlFile;
import io.thalweg.model.yaml.YamlValue;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Replaces variables in text values with the environment's values, or with the contents of files.
 *
 * <p><b>Threads.</b> One.
 */
final class Substitution {
    private static final String FILE = "file:";

    /** Replaces a missing value, whose problem is reported, to avoid a second one about a blank value. */
    private static final String UNKNOWN = "unset";

    private final Map<String, String> env;
    private final Set<String> paths = new TreeSet<>();

    Substitution(Map<String, String> env) {
        this.env = Map.copyOf(env);
    }

    /** The paths of values that contained a variable; they print as {@code ***}. */
    Set<String> paths() {
        return paths;
    }

    /** Returns a value with its variables replaced; reports variables that cannot be replaced. */
    String text(YamlValue value) {
        return secret(value).text();
    }

    /** The same for a value whose files can be read again. */
    Secret secret(YamlValue value) {
        String text = value.text();
        Replaced out = new Replaced();
        int at = 0;
        while (at < text.length()) {
            if (text.startsWith("$${", at)) {
                out.text.append("${");
                at += 3;
            } else if (text.startsWith("${", at)) {
                at = variable(value, text, at, out);
            } else {
                out.text.append(text.charAt(at++));
            }
        }
        return out.secret();
    }

    /** A text in which variables have been replaced. */
    private static final class Replaced {
        private final StringBuilder text = new StringBuilder();
        private final List<String> around = new ArrayList<>();
        private final List<String> files = new ArrayList<>();
        private int since;

        void file(String path, String contents) {
            around.add(text.substring(since));
            files.add(path);
            text.append(contents);
            since = text.length();
        }

        Secret secret() {
            around.add(text.substring(since));
            return new Secret(text.toString(), around, files);
        }
    }

    private int variable(YamlValue value, String text, int from, Replaced out) {
        int end = text.indexOf('}', from);
        String body = end < 0 ? "" : text.substring(from + 2, end);
        boolean file = body.startsWith(FILE) && body.length() > FILE.length();
        int dash = body.indexOf(":-");
        String name = dash < 0 ? body : body.substring(0, dash);
        if (!file && !name.matches("[A-Za-z_][A-Za-z0-9_]*")) {
            value.wrong("text whose variables look like ${VAR}, ${VAR:-default} or ${file:PATH};"
                    + " write $${ for a plain ${");
            return text.length();
        }
        paths.add(value.path());
        if (file) {
            String path = body.substring(FILE.length());
            out.file(path, contents(value, path));
        } else {
            out.text.append(environment(value, name, dash < 0 ? null : body.substring(dash + 2)));
        }
        return end + 1;
    }

    private String environment(YamlValue value, String name, @Nullable String otherwise) {
        String set = env.get(name);
        if (otherwise != null && (set == null || set.isEmpty())) {
            return otherwise;
        }
        if (set == null) {
            value.problem(
                    "the environment variable " + name + " is not set; set it, or write ${" + name + ":-default}");
            return UNKNOWN;
        }
        return set;
    }

    private static String contents(YamlValue value, String name) {
        Path file;
        try {
            file = Path.of(name);
        } catch (InvalidPathException e) {
            value.wrong("text whose files have paths, such as ${file:/run/secrets/password}");
            return UNKNOWN;
        }
        try {
            return Secret.contents(file);
        } catch (IOException e) {
            value.problem("the file " + name + " cannot be read: " + YamlFile.reason(file, e));
            return UNKNOWN;
        }
    }
}
