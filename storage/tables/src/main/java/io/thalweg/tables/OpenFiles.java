package io.thalweg.tables;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files that one task writes at the same time, one for each partition. Their open row groups share a memory limit: while
 * they exceed it together, the largest is written to its file.
 *
 * <p><b>Threads.</b> One.
 */
public final class OpenFiles<K, F extends OpenFiles.File> {
    private final long mostBytes;
    private final int mostFiles;
    /** The least recently written file comes first. */
    private final Map<K, Entry<F>> files = new LinkedHashMap<>(16, 0.75F, true);

    private long bytes;

    /** A file that can write its row group early. */
    public interface File {
        /** The bytes of rows that are not written to the file yet. */
        long bytesInMemory();

        /** Writes these rows as a row group. */
        void endRowGroup() throws IOException;
    }

    private static final class Entry<F> {
        private final F file;
        private long bytes;

        Entry(F file) {
            this.file = file;
        }
    }

    /**
     * Creates an empty set of files.
     *
     * @param mostBytes of all row groups together
     * @param mostFiles see {@link #excess}
     */
    public OpenFiles(long mostBytes, int mostFiles) {
        this.mostBytes = mostBytes;
        this.mostFiles = mostFiles;
    }

    /** Returns the file of a partition, or null if it is not open. */
    public @Nullable F get(K partition) {
        Entry<F> entry = files.get(partition);
        return entry == null ? null : entry.file;
    }

    /** Adds a file. */
    public void opened(K partition, F file) {
        files.put(partition, new Entry<>(file));
    }

    /** Records that rows were added to a file, and writes row groups while all together exceed the limit. */
    public void written(K partition) throws IOException {
        Entry<F> entry = files.get(partition);
        if (entry != null) {
            measure(entry);
        }
        while (bytes > mostBytes) {
            relieve();
        }
    }

    private void measure(Entry<F> entry) {
        bytes -= entry.bytes;
        entry.bytes = entry.file.bytesInMemory();
        bytes += entry.bytes;
    }

    private void relieve() throws IOException {
        Entry<F> largest = null;
        for (Entry<F> entry : files.values()) {
            if (largest == null || entry.bytes > largest.bytes) {
                largest = entry;
            }
        }
        if (largest == null) {
            throw new IllegalStateException("no file is open, but " + bytes + " bytes are in memory");
        }
        largest.file.endRowGroup();
        measure(largest);
    }

    /** Removes a finished file. */
    public void closed(K partition) {
        Entry<F> entry = files.remove(partition);
        if (entry != null) {
            bytes -= entry.bytes;
        }
    }

    /** Returns the partitions beyond the limit of open files, least recently written first. */
    public List<K> excess() {
        return first(Math.max(0, files.size() - mostFiles));
    }

    /** Returns all partitions with an open file. */
    public List<K> partitions() {
        return first(files.size());
    }

    private List<K> first(int count) {
        List<K> first = new ArrayList<>(count);
        for (K partition : files.keySet()) {
            if (first.size() == count) {
                break;
            }
            first.add(partition);
        }
        return first;
    }
}
