/** Reads the records of files, from the positions in a checkpoint. */
@NullMarked
package io.thalweg.jobs.ingest.file;

import org.jspecify.annotations.NullMarked;
