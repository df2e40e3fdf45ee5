package io.thalweg.jobs;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file or folder of the storage of checkpoints, which one of Flink's file systems reaches: on this machine, or elsewhere, such as
 * {@code s3://bucket/folder}.
 *
 * <p><b>Shape.</b> The text of a path on this machine is absolute and has no scheme; that of all others is a URI. {@link #of(String)}
 * reads both.
 *
 * <p><b>Storage.</b> Object stores have no folders without files, no renaming, and no order of times, so nothing here relies on them.
 *
 * <p><b>Errors.</b> {@link IOException} where the storage cannot be reached or refuses. What is not there is never one: it may be
 * removed while it is looked for.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class StatePath {
    private static final Pattern SCHEME = Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]*:/");
    private static final String LOCAL = "file";

    /** Entries that vanish while a folder is listed make some file systems fail. */
    private static final int LIST_ATTEMPTS = 5;

    private final Path path;

    private StatePath(Path path) {
        this.path = path;
    }

    /** A path of this machine, relative to the working directory, or a URI. */
    public static StatePath of(String text) {
        if (!SCHEME.matcher(text).lookingAt()) {
            return of(java.nio.file.Path.of(text));
        }
        Path path = new Path(text);
        return isLocal(path) ? of(java.nio.file.Path.of(path.getPath())) : new StatePath(path);
    }

    /** A path of this machine. */
    public static StatePath of(java.nio.file.Path local) {
        return new StatePath(new Path(LOCAL, null, local.toAbsolutePath().toString()));
    }

    private static boolean isLocal(Path path) {
        return LOCAL.equals(path.toUri().getScheme());
    }

    /** Whether it is on this machine, or mounted as if it were. */
    public boolean isLocal() {
        return isLocal(path);
    }

    /** The same as a path of this machine. Only for such. */
    public java.nio.file.Path local() {
        if (!isLocal()) {
            throw new IllegalStateException(this + " is not on this machine");
        }
        return java.nio.file.Path.of(path.getPath());
    }

    /** The name of its file system, such as {@code s3}. */
    public String scheme() {
        return Objects.requireNonNull(path.toUri().getScheme(), "each path has one");
    }

    /** As Flink takes it, here or on a cluster: always with a scheme, and not escaped. */
    public String uri() {
        return path.toString();
    }

    /** A file or folder in this folder. */
    public StatePath resolve(String child) {
        return new StatePath(new Path(path, child));
    }

    /** The folder that it is in; null for a root. */
    public @Nullable StatePath parent() {
        Path parent = path.getParent();
        return parent == null ? null : new StatePath(parent);
    }

    /** Its last part. */
    public String name() {
        return path.getName();
    }

    /**
     * Requires that this process has a file system for it.
     *
     * @throws org.apache.flink.core.fs.UnsupportedFileSystemSchemeException if it has none for the scheme
     * @throws IOException if that file system cannot be used
     */
    public void requireFileSystem() throws IOException {
        FileSystem unused = fileSystem();
    }

    private FileSystem fileSystem() throws IOException {
        return path.getFileSystem();
    }

    /** Whether there is a file. */
    public boolean isFile() throws IOException {
        FileStatus status = status();
        return status != null && !status.isDir();
    }

    private @Nullable FileStatus status() throws IOException {
        try {
            return fileSystem().getFileStatus(path);
        } catch (FileNotFoundException e) {
            return null;
        }
    }

    /** When the file was written, in epoch milliseconds, by the clock of the storage; 0 if it is not there. */
    public long modifiedMs() throws IOException {
        FileStatus status = status();
        return status == null ? 0 : status.getModificationTime();
    }

    /** The content of the file; null if it is not there. */
    public byte @Nullable [] bytes() throws IOException {
        try (InputStream in = fileSystem().open(path)) {
            return in.readAllBytes();
        } catch (FileNotFoundException e) {
            if (isFile()) { // and may not be read
                throw e;
            }
            return null;
        }
    }

    /** The content of a file of text; null if it is not there. */
    public @Nullable String text() throws IOException {
        byte[] bytes = bytes();
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    /**
     * Writes or replaces the file, with the folders that it is in. Readers see all of it or nothing: object stores show an object when it
     * is complete, and on this machine the file is written beside its place first. Of other file systems that is not known.
     */
    public void write(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (!isLocal()) {
            create(bytes);
            return;
        }
        StatePath partial = new StatePath(path.suffix(".part"));
        partial.create(bytes);
        Files.move(partial.local(), local(), StandardCopyOption.ATOMIC_MOVE);
    }

    private void create(byte[] bytes) throws IOException {
        try (OutputStream out = fileSystem().create(path, FileSystem.WriteMode.OVERWRITE)) {
            out.write(bytes);
        }
    }

    /** The folders in this folder, in no order; none if it is not there. */
    public List<StatePath> folders() throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                FileStatus[] found = fileSystem().listStatus(path);
                if (found == null) {
                    return none();
                }
                return Stream.of(found)
                        .filter(FileStatus::isDir)
                        .map(status -> resolve(status.getPath().getName()))
                        .toList();
            } catch (FileNotFoundException e) {
                if (status() == null) {
                    return List.of();
                }
                if (attempt == LIST_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private List<StatePath> none() throws IOException {
        if (status() != null) {
            throw new IOException(this + " cannot be listed");
        }
        return List.of();
    }

    /** Removes the file, or the folder with all that is in it. */
    public void delete() throws IOException {
        for (int attempt = 1; !fileSystem().delete(path, true) && status() != null; attempt++) {
            if (attempt == LIST_ATTEMPTS) {
                throw new IOException(this + " cannot be removed");
            }
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof StatePath that && path.equals(that.path);
    }

    @Override
    public int hashCode() {
        return path.hashCode();
    }

    @Override
    public String toString() {
        return isLocal() ? path.getPath() : path.toString();
    }
}
