package io.thalweg.jobs.ingest.target;

import io.thalweg.tables.OpenFileLimits;
import io.thalweg.tables.OpenFiles;
import io.thalweg.tables.ParquetFileBuilder;
import java.io.Serializable;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files that a subtask writes, by folder. Flink's file sink opens and closes them, so the writers and the rolling policy share
 * this object: each subtask has one copy of both.
 */
public final class OpenFolders implements Serializable {
    private static final long serialVersionUID = 1L;

    private transient @Nullable OpenFiles<String, ParquetFileBuilder> files;

    OpenFiles<String, ParquetFileBuilder> files() {
        OpenFiles<String, ParquetFileBuilder> open = files == null ? OpenFileLimits.newFiles() : files;
        files = open;
        return open;
    }

    /** Whether the file of a folder should be closed, because too many more recent ones are open. */
    boolean isExcess(String folder) {
        Set<String> excess = new HashSet<>(files().excess());
        return excess.contains(folder);
    }
}
