package io.thalweg.jobs.ingest.target;

import io.thalweg.records.columns.ColumnBatch;

/**
 * Rows of one partition of a folder.
 *
 * @param folder the folder of the partition, relative to that of the table; empty = the table's own
 */
public record FolderRows(String folder, ColumnBatch rows) {}
