package io.thalweg.cli;

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
 * The folder of this process's temporary files: those of Flink, of native libraries, of the demo. The process locks it, so that
 * the next one to start can tell it from the folders of processes that were killed, and removes those.
 *
 * <p><b>Threads.</b> Safe.
 */
public final class ProcessFolder {
    private static final String PREFIX = "thalweg-process-";
    private static final String LOCK = "lock";
    /** The launcher makes a folder before java locks it. */
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
     * Makes {@code java.io.tmpdir} the folder of this process, which the launcher names as {@code thalweg.tmpdir}, and sweeps its
     * neighbours. To be called before anything creates a temporary file.
     *
     * <p>The launcher also sets {@code java.io.tmpdir} before the JVM starts. Without it, files that libraries create through
     * {@link Files}, such as native libraries, stay outside, because the JDK reads the property only once for those.
     */
    static void enter(Instant now) {
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
     * so it tries for {@link #LEAVING}; what is left then is found unlocked by the next process.
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
                // The lock ends with the process anyway.
            }
            delete(entered.folder);
        }
    }

    /** The lock file gets its name once it is locked: a sweeper must not find it before. */
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
     * Removes the neighbours of a folder whose processes have ended. Not itself: to open its lock and close it again would release
     * it, as POSIX defines it. Only folders of this user are swept, because anyone can put a folder or a link there.
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

    /** The lock goes last: a folder without one counts as a process that is starting. */
    private static void delete(Path folder) {
        if (deleteContents(folder)) {
            Path lock = folder.resolve(LOCK);
            try {
                Files.deleteIfExists(lock);
                try {
                    Files.deleteIfExists(folder);
                } catch (DirectoryNotEmptyException e) {
                    // A thread of the process that is ending wrote one more file: the next process sweeps it.
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
