package io.thalweg.runner;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The folder of this process's temporary files: those of Flink, native libraries and the demo. The process locks the folder, so
 * that the next process to start can tell it from the folders of killed processes, which it removes.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class ProcessFolder {
    private static final String PREFIX = "thalweg-process-";
    private static final String LOCK = "lock";
    /** How long a folder may be without a lock: the launcher creates it before java locks it. */
    private static final Duration STARTING = Duration.ofMinutes(10);

    private static final Duration LEAVING = Duration.ofSeconds(5);

    private static volatile @Nullable ProcessFolder current;

    private final Path folder;
    private final FileLock lock;

    private ProcessFolder(Path folder, FileLock lock) {
        this.folder = folder;
        this.lock = lock;
    }

    /**
     * Sets {@code java.io.tmpdir} to the folder of this process, which the launcher passes as {@code thalweg.tmpdir}, and sweeps
     * its neighbours. Call this before anything creates a temporary file.
     *
     * <p>The launcher also sets {@code java.io.tmpdir} before the JVM starts. Without it, files that libraries create through
     * {@link Files}, such as native libraries, stay outside, because the JDK reads the property only once for those.
     */
    public static void enter(Instant now) {
        String given = System.getProperty("thalweg.tmpdir");
        try {
            Path folder = given == null
                    ? Files.createTempDirectory(Path.of(System.getProperty("java.io.tmpdir")), PREFIX)
                    : Path.of(given);
            current = lock(folder);
            System.setProperty("java.io.tmpdir", folder.toString());
            sweep(folder, now);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot create a folder for temporary files; set TMPDIR", e);
        }
    }

    /**
     * Removes the folder of this process, if it has entered one. Threads of Flink may still be writing and deleting files there,
     * so it retries for {@link #LEAVING}. The next process finds the rest unlocked and removes it.
     */
    public static void leave() {
        ProcessFolder entered = current;
        if (entered != null) {
            current = null;
            Instant end = Instant.now().plus(LEAVING);
            while (!deleteContents(entered.folder) && Instant.now().isBefore(end)) {
                LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
            }
            try {
                entered.lock.channel().close();
            } catch (IOException e) {
                // The lock is released with the process anyway.
            }
            delete(entered.folder);
        }
    }

    /** Renames the lock file only once it is locked, so that a sweeper does not find it unlocked. */
    private static ProcessFolder lock(Path folder) throws IOException {
        Path unnamed = Files.createFile(folder.resolve(LOCK + ".new"));
        FileLock lock = tryLock(unnamed);
        if (lock == null) {
            throw new IOException(unnamed + " is in use by another process");
        }
        Files.move(unnamed, folder.resolve(LOCK), StandardCopyOption.ATOMIC_MOVE);
        return new ProcessFolder(folder, lock);
    }

    private static @Nullable FileLock tryLock(Path file) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        FileLock lock = null;
        try {
            lock = channel.tryLock();
            return lock;
        } catch (OverlappingFileLockException e) {
            return null;
        } finally {
            if (lock == null) {
                channel.close();
            }
        }
    }

    /**
     * Removes the neighbours of a folder whose processes have ended. It skips its own folder: opening and closing the lock file
     * would release the lock, as POSIX defines it. It sweeps only folders of this user, because anyone can create a folder or a
     * link there.
     */
    static void sweep(Path own, Instant now) throws IOException {
        UserPrincipal user = Files.getOwner(own);
        for (Path folder : folders(Objects.requireNonNull(own.toAbsolutePath().getParent()))) {
            try {
                if (!folder.equals(own.toAbsolutePath())
                        && Files.getOwner(folder).equals(user)
                        && isAbandoned(folder, now)) {
                    delete(folder);
                }
            } catch (IOException e) {
                // Another process is removing it.
            }
        }
    }

    private static List<Path> folders(Path parent) throws IOException {
        try (Stream<Path> files = Files.list(parent)) {
            return files.filter(file -> file.getFileName().toString().startsWith(PREFIX)
                            && Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS))
                    .toList();
        }
    }

    private static boolean isAbandoned(Path folder, Instant now) throws IOException {
        Path file = folder.resolve(LOCK);
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return Files.getLastModifiedTime(folder).toInstant().isBefore(now.minus(STARTING));
        }
        FileLock lock = tryLock(file);
        if (lock == null) {
            return false;
        }
        lock.channel().close();
        return true;
    }

    /** Removes the lock last, because a folder without one counts as that of a process that is starting. */
    private static void delete(Path folder) {
        if (deleteContents(folder)) {
            Path lock = folder.resolve(LOCK);
            try {
                Files.deleteIfExists(lock);
                try {
                    Files.deleteIfExists(folder);
                } catch (DirectoryNotEmptyException e) {
                    // A thread of the ending process wrote one more file; the next process sweeps the folder.
                    Files.createFile(lock);
                }
            } catch (IOException e) {
                // Another process is removing it, too.
            }
        }
    }

    /** Deletes what it can, but not the lock; returns whether nothing is left. */
    private static boolean deleteContents(Path folder) {
        Path lock = folder.resolve(LOCK);
        boolean[] left = {false};
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (!file.equals(lock)) {
                        remove(file);
                    }
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException failure) {
                    left[0] |= Files.exists(file, LinkOption.NOFOLLOW_LINKS);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure) {
                    if (!visited.equals(folder)) {
                        remove(visited);
                    }
                    return FileVisitResult.CONTINUE;
                }

                private void remove(Path file) {
                    try {
                        Files.deleteIfExists(file);
                    } catch (IOException e) {
                        left[0] = true;
                    }
                }
            });
        } catch (IOException e) {
            return false;
        }
        return !left[0];
    }
}
