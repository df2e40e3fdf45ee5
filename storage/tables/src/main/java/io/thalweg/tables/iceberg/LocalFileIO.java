package io.thalweg.tables.iceberg;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/** Files of this machine, named by path or by {@code file:} URI. */
final class LocalFileIO implements FileIO {
    private static final long serialVersionUID = 1L;

    /** A scheme, and for {@code file:} the empty host. The path is taken literally, because Iceberg does not encode it. */
    private static final Pattern URI = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*):(?://[^/]*)?(.*)");

    /** Whether a location is on this machine. */
    static boolean isLocal(String location) {
        Matcher uri = URI.matcher(location);
        return !uri.matches() || uri.group(1).equals("file");
    }

    static Path path(String location) {
        if (!isLocal(location)) {
            throw new IllegalArgumentException(
                    location + " is not on this machine; only files are supported in this version");
        }
        Matcher uri = URI.matcher(location);
        return Path.of(uri.matches() ? uri.group(2) : location);
    }

    @Override
    public InputFile newInputFile(String location) {
        return org.apache.iceberg.Files.localInput(path(location).toFile());
    }

    /** Creates the file's folder first: Iceberg fails if another thread creates it at the same time. */
    @Override
    public OutputFile newOutputFile(String location) {
        Path file = path(location);
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
        } catch (IOException e) {
            throw new UncheckedIOException("The folder of " + location + " cannot be made", e);
        }
        return org.apache.iceberg.Files.localOutput(file.toFile());
    }

    @Override
    public void deleteFile(String location) {
        try {
            Files.deleteIfExists(path(location));
        } catch (IOException e) {
            throw new UncheckedIOException(location + " cannot be deleted", e);
        }
    }
}
