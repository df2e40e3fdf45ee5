package io.thalweg.tables.iceberg;

import java.util.List;

/**
 * The data files of one checkpoint, which are appended together.
 *
 * @param writer that appends, such as an ingest
 * @param run of the writer; totals are kept per run
 * @param lineage of runs that resumed one another
 * @param stamp unique: no two sets of files ever have the same
 * @param checkpoint its number
 * @param files as {@link DataFileWriter#finish} describes them
 */
public record TableCommit(
        String writer, String run, String lineage, String stamp, long checkpoint, List<String> files) {
    public TableCommit {
        files = List.copyOf(files);
    }
}
