package io.thalweg.tables.iceberg;

import java.util.List;

/**
 * The data files of one checkpoint, to be appended at once.
 *
 * @param writer who appends, such as an ingest
 * @param run of the writer: what one run has written is counted by it
 * @param lineage of runs that resumed one another
 * @param stamp exists once: no two sets of files ever have the same
 * @param checkpoint its number
 * @param files as {@link DataFileWriter#finish} describes them
 */
public record TableCommit(
        String writer, String run, String lineage, String stamp, long checkpoint, List<String> files) {
    public TableCommit {
        files = List.copyOf(files);
    }
}
