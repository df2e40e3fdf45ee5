package io.thalweg.jobs.load;

/**
 * Where a row was read, for dead letters.
 *
 * @param source topic or file
 */
record Origin(String source, int partition, long offset) {}
