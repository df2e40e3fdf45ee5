package io.thalweg.tables.iceberg;

import java.util.List;

/**
 * The data files of one checkpoint, which are appended together.
 *
 * @param writer the job that appends; the table keeps its last commit
 * @param run of the writer; totals are kept per run
 * @param lineage of runs that resumed one another
 * @param stamp unique: no two sets of files ever have the same. It is the attempt, a hyphen and the checkpoint
 * @param checkpoint its number
 * @param files as {@link DataFileWriter#finish} describes them
 */
public record TableCommit(
        String writer, String run, String lineage, String stamp, long checkpoint, List<String> files) {
    public TableCommit {
        files = List.copyOf(files);
    }

    /** Identifies the attempt that made the commit: the time from a start of the job to its end or failure. */
    String attempt() {
        return attempt(stamp);
    }

    static String attempt(String stamp) {
        return stamp.substring(0, Math.max(0, stamp.lastIndexOf('-')));
    }
}
