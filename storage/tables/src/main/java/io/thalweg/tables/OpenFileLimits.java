package io.thalweg.tables;

/** Limits of the files that a task writes concurrently, for tables of all kinds. */
public final class OpenFileLimits {
    /** The size in memory at which a row group is written. */
    public static final long ROW_GROUP_BYTES = 64L << 20;
    /** The maximum size of all row groups of a task. */
    public static final long BYTES = 256L << 20;
    /** The maximum number of open files of a task. */
    public static final int FILES = 200;

    private OpenFileLimits() {}

    /** Creates an empty set of open files with these limits. */
    public static <K, F extends OpenFiles.File> OpenFiles<K, F> newFiles() {
        return new OpenFiles<>(BYTES, FILES);
    }
}
