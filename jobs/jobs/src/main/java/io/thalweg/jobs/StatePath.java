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
 * A file or folder of the checkpoint storage, accessed through one of Flink's file systems: on this machine, or elsewhere, such as
 * {@code s3://bucket/folder}.
 *
 * <p><b>Shape.</b> The text of a path on this machine is absolute and has no scheme; any other path is a URI. {@link #of(String)}
 * reads both.
 *
 * <p><b>Storage.</b> Object stores have no empty folders, no rename, and no ordering of times, so this class relies on none of them.
 *
 * <p><b>Errors.</b> {@link IOException} if the storage cannot be reached or refuses access. A missing file or folder is not an error,
 * because it may be removed at any time.
 *
 * <p><b>Threads.</b> Immutable.
 */
public final class StatePath {
    private static final Pattern SCHEME = Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]*:/");
    private static final String LOCAL = "file";

    /** Some file systems fail if an entry is removed while its folder is listed. */
    private static final int LIST_ATTEMPTS = 5;

    private final Path path;

    private StatePath(Path path) {
        this.path = path;
    }

    /** Parses a path of this machine, relative to the working directory, or a URI. */
    public static StatePath of(String text) {
        if (!SCHEME.matcher(text).lookingAt()) {
            return of(java.nio.file.Path.of(text));
        }
        Path path = new Path(text);
        return isLocal(path) ? of(java.nio.file.Path.of(path.getPath())) : new StatePath(path);
    }

    /** Converts a path of this machine. */
    public static StatePath of(java.nio.file.Path local) {
        return new StatePath(new Path(LOCAL, null, local.toAbsolutePath().toString()));
    }

    private static boolean isLocal(Path path) {
        return LOCAL.equals(path.toUri().getScheme());
    }

    /** Returns whether the path is on this machine, or mounted as if it were. */
    public boolean isLocal() {
        return isLocal(path);
    }

    /** Returns this path as a path of this machine. Only valid if it {@linkplain #isLocal() is local}. */
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

    /** The path in Flink's notation, here or on a cluster: always with a scheme, and not escaped. */
    public String uri() {
        return path.toString();
    }

    /** Returns a file or folder in this folder. */
    public StatePath resolve(String child) {
        return new StatePath(new Path(path, child));
    }

    /** The parent folder; null for a root. */
    public @Nullable StatePath parent() {
        Path parent = path.getParent();
        return parent == null ? null : new StatePath(parent);
    }

    /** Its last part. */
    public String name() {
        return path.getName();
    }

    /**
     * Checks that this process has a file system for this path.
     *
     * @throws org.apache.flink.core.fs.UnsupportedFileSystemSchemeException if there is none for the scheme
     * @throws IOException if that file system cannot be used
     */
    public void requireFileSystem() throws IOException {
        FileSystem unused = fileSystem();
    }

    private FileSystem fileSystem() throws IOException {
        return path.getFileSystem();
    }

    /** Returns whether this is an existing file. */
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

    /** Returns when the file was written, in epoch milliseconds, by the clock of the storage; 0 if it does not exist. */
    public long modifiedMs() throws IOException {
        FileStatus status = status();
        return status == null ? 0 : status.getModificationTime();
    }

    /** Reads the content of the file; null if it does not exist. */
    public byte @Nullable [] bytes() throws IOException {
        try (InputStream in = fileSystem().open(path)) {
            return in.readAllBytes();
        } catch (FileNotFoundException e) {
            if (isFile()) { // exists, but access is refused
                throw e;
            }
            return null;
        }
    }

    /** Reads the content of a text file; null if it does not exist. */
    public @Nullable String text() throws IOException {
        byte[] bytes = bytes();
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    /**
     * Writes or replaces the file and creates its parent folders. Readers see the whole file or nothing: object stores publish an object
     * when it is complete, and on this machine a temporary file is renamed. Other file systems may not guarantee that.
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

    /** Lists the folders in this folder, in no particular order; none if this folder does not exist. */
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

    /** Removes the file, or the folder with its content. */
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
