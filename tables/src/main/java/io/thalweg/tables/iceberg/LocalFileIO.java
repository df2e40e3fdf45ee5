package io.thalweg.tables.iceberg;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;

/** Files of this machine, named by path or by {@code file:} URI. */
final class LocalFileIO implements FileIO {
    private static final long serialVersionUID = 1L;

    static Path path(String location) {
        return location.startsWith("file:") ? Path.of(URI.create(location).getPath()) : Path.of(location);
    }

    @Override
    public InputFile newInputFile(String location) {
        return org.apache.iceberg.Files.localInput(path(location).toFile());
    }

    @Override
    public OutputFile newOutputFile(String location) {
        return org.apache.iceberg.Files.localOutput(path(location).toFile());
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
