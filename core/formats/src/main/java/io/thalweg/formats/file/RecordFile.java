package io.thalweg.formats.file;

import io.thalweg.model.ingest.Ingest.Framing;
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
public abstract class RecordFile implements Closeable {
    /** A block ends when it contains this many bytes. */
    static final int BLOCK_BYTES = 512 * 1024;

    /** Bytes that are kept of a record that is too large or damaged. */
    public static final int KEPT_BYTES = 256 * 1024;

    /**
     * Opens a file.
     *
     * @param from the position of the first record that is read: 0, or one that {@link #next} returned
     * @throws IOException if it cannot be read; the message names it
     */
    public static RecordFile open(Path path, Framing framing, long from, Limits limits) throws IOException {
        RecordFile file = switch (framing) {
            case LINES -> new LineFile(path, limits);
            case LENGTH_PREFIXED -> new FramedFile(path, limits);
            case AVRO_CONTAINER -> new ContainerFile(Files.newInputStream(path), path.toString(), limits);
        };
        try {
            file.skipTo(from);
            return file;
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /**
     * Whether a file has no record, neither a good nor a damaged one.
     *
     * @throws IOException if it cannot be read; the message names it
     */
    public static boolean isEmpty(Path path, Framing framing) throws IOException {
        try (RecordFile file = open(path, framing, 0, Limits.DEFAULT)) {
            for (RawBlock block = file.read(1); block != null; block = file.read(1)) {
                if (block.size() > 0 && block.objects(0) > 0) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Moves to a position that {@link #next} returned before. */
    abstract void skipTo(long position) throws IOException;

    /** Reads the next records; returns null at the end of the file. */
    public final @Nullable RawBlock read() throws IOException {
        return read(Integer.MAX_VALUE);
    }

    /**
     * Reads the next records; returns null at the end of the file.
     *
     * @param most at least 1; a block of an Avro container counts as one record
     */
    public abstract @Nullable RawBlock read(int most) throws IOException;

    /** The position after the records that were read. */
    public abstract long next();
}
