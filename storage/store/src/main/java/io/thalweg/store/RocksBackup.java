package io.thalweg.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Locates backups of the embedded store and restores them. */
public final class RocksBackup {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
    /** A file that every RocksDB folder contains. */
    private static final String CURRENT = "CURRENT";

    private RocksBackup() {}

    /** Returns the folder for a backup of a name; it does not exist yet, except perhaps for its parent. */
    static Path place(Path store, String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "the name of a backup must be letters, digits, '.', '_' and '-', at most 100, was '" + name
                            + "'; for example '2026-11-25'");
        }
        Path absolute = store.toAbsolutePath().normalize();
        return absolute.resolveSibling(absolute.getFileName() + "-backups").resolve(name);
    }

    /** Requires that a folder does not exist, and creates its parents. */
    static void requireNew(Path folder) {
        if (Files.exists(folder)) {
            throw new IllegalArgumentException(
                    "a backup needs a new folder, '" + folder + "' exists; name another one");
        }
        try {
            Files.createDirectories(
                    Objects.requireNonNull(folder.toAbsolutePath().getParent()));
        } catch (IOException e) {
            throw new StoreException("the folder of backup '" + folder + "' cannot be created: " + e, e);
        }
    }

    /**
     * Restores a store from a backup, which is left unchanged. The store appears whole or not at all. It is opened once
     * to verify the copy.
     *
     * @param store must not exist, or be empty
     * @throws IllegalArgumentException if the backup is not one, or if the store's folder is not empty
     * @throws StoreException if the copy fails, or cannot be opened
     */
    public static void restore(Path backup, Path store, Clock clock) {
        if (!Files.isRegularFile(backup.resolve(CURRENT))) {
            throw new IllegalArgumentException(
                    "'" + backup + "' is not a backup of the embedded store: it has no file " + CURRENT);
        }
        Path target = store.toAbsolutePath().normalize();
        Path copy = target.resolveSibling(target.getFileName() + ".restoring");
        try {
            requireEmpty(target);
            delete(copy);
            copy(backup, copy);
            RocksDbOnlineStore.open(copy, clock).close();
            Files.deleteIfExists(target);
            Files.move(copy, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new StoreException("backup '" + backup + "' cannot be restored to '" + store + "': " + e, e);
        }
    }

    private static void requireEmpty(Path store) throws IOException {
        if (!Files.exists(store)) {
            return;
        }
        try (Stream<Path> files = Files.list(store)) {
            if (files.findAny().isPresent()) {
                throw new IllegalArgumentException(
                        "store.path '" + store + "' is not empty; move the folder away, then restore again");
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(folder);
    }
}
