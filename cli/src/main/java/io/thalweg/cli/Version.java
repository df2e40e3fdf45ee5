package io.thalweg.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** What was built: the version, and the commit if it was built from git. */
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
        Properties built = new Properties();
        try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
            if (in != null) {
                built.load(in);
            }
        }
        String commit = built.getProperty("commit", "");
        // Where there was no git, the build leaves the placeholder as it is.
        boolean known = !commit.isEmpty() && !commit.startsWith("$");
        return new String[] {"thalweg " + built.getProperty("version", "unknown") + (known ? " (" + commit + ")" : "")};
    }
}
