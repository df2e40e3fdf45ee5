package io.thalweg.server.access;

import io.thalweg.model.problem.DefinitionException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The callers of a file that may change while the server runs. The file is checked at most once a second. If it is broken or
 * missing, that is logged, and the callers that were read last stay in force.
 *
 * <p><b>Threads.</b> Safe. The calling thread reads the file, which is small.
 */
final class CallersFile {
    private static final Logger LOG = LoggerFactory.getLogger(CallersFile.class);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long SETTLED_MS = 1_000;

    private final Path file;
    private final LongSupplier nanoTime;
    private final AtomicLong lookedNanos;
    private volatile Callers callers;
    private volatile @Nullable Version version;
    private volatile @Nullable Version changing;

    private record Version(FileTime modified, long bytes) {
        /** Whether the last write was some time ago. */
        boolean isSettled() {
            return System.currentTimeMillis() - modified.toMillis() > SETTLED_MS;
        }
    }

    /**
     * Reads the file.
     *
     * @throws DefinitionException with all that is wrong with it
     */
    CallersFile(Path file, LongSupplier nanoTime) {
        this.file = file;
        this.nanoTime = nanoTime;
        lookedNanos = new AtomicLong(nanoTime.getAsLong());
        version = version();
        callers = Callers.read(file);
    }

    /** The callers in force. */
    Callers current() {
        long last = lookedNanos.get();
        long now = nanoTime.getAsLong();
        if (now - last >= LOOK_NANOS && lookedNanos.compareAndSet(last, now)) {
            look();
        }
        return callers;
    }

    private void look() {
        Version found = version();
        if (found == null || found.equals(version)) {
            return;
        }
        // A write may be in progress: the first half of a file can be a valid list of fewer callers.
        if (!found.isSettled() && !found.equals(changing)) {
            changing = found;
            return;
        }
        version = found;
        try {
            callers = Callers.read(file);
            LOG.info("Reloaded the callers in {}", file);
        } catch (DefinitionException e) {
            LOG.error("Cannot reload the callers, so the last ones stay in force: {}", e.getMessage());
        }
    }

    private @Nullable Version version() {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return new Version(attributes.lastModifiedTime(), attributes.size());
        } catch (IOException e) {
            return null;
        }
    }
}
