package io.thalweg.jobs.ingest;

import io.thalweg.records.Limits;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of a file, a block at a time.
 *
 * <p><b>Threads.</b> One.
 */
abstract class RecordFile implements Closeable {
    /** A block ends when it has this many bytes. */
    static final int BLOCK_BYTES = 512 * 1024;

    /** Bytes that are kept of a record that is too large or damaged. */
    static final int KEPT_BYTES = 256 * 1024;

    /**
     * Opens a file at a position.
     *
     * @throws IOException if it cannot be read; the message names it
     */
    static RecordFile open(FilePosition position, Limits limits) throws IOException {
        Path path = Path.of(position.path());
        RecordFile file = switch (position.framing()) {
            case LINES -> new LineFile(path, limits);
            case LENGTH_PREFIXED -> new FramedFile(path, limits);
            case AVRO_CONTAINER -> new ContainerFile(Files.newInputStream(path), path.toString(), limits);
        };
        try {
            file.skipTo(position.next());
            return file;
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /** Moves to a position that {@link #next} returned before. */
    abstract void skipTo(long position) throws IOException;

    /** The next records; null at the end of the file. */
    abstract @Nullable RawBlock read() throws IOException;

    /** The position behind the records that were read. */
    abstract long next();
}
