package io.thalweg.runner;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version that was built, and the commit if it was built from git. */
public final class Version {
    private static final String UNKNOWN = "unknown";

    private Version() {}

    /** Such as {@code thalweg 0.1.0 (1a2b3c4d)}. */
    public static String text() {
        String commit = commit();
        return "thalweg " + version() + (commit.equals(UNKNOWN) ? "" : " (" + commit + ")");
    }

    /** Such as {@code 0.1.0-SNAPSHOT}. */
    public static String version() {
        return built("version");
    }

    /** The abbreviated commit; {@code unknown} if it was not built from git. */
    public static String commit() {
        String commit = built("commit");
        // Without git, the build leaves the placeholder in place.
        return commit.isEmpty() || commit.startsWith("$") ? UNKNOWN : commit;
    }

    private static String built(String key) {
        Properties built = new Properties();
        try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
            if (in != null) {
                built.load(in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("version.properties cannot be read", e);
        }
        return built.getProperty(key, UNKNOWN);
    }
}
