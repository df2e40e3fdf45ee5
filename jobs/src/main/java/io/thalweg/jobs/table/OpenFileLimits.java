package io.thalweg.jobs.table;

import io.thalweg.tables.OpenFiles;

/** What the files that a subtask writes at the same time may take, whatever their table. */
public final class OpenFileLimits {
    /** After how many bytes in memory a row group is written. */
    public static final long ROW_GROUP_BYTES = 64L << 20;
    /** Of all row groups of a subtask. */
    public static final long BYTES = 256L << 20;
    /** Of a subtask. */
    public static final int FILES = 200;

    private OpenFileLimits() {}

    /** None yet. */
    public static <K, F extends OpenFiles.File> OpenFiles<K, F> newFiles() {
        return new OpenFiles<>(BYTES, FILES);
    }
}
