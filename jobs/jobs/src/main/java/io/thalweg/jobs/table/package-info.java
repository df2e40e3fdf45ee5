/** A sink that writes columns to Iceberg tables exactly once; usable by any job. */
@NullMarked
package io.thalweg.jobs.table;

import org.jspecify.annotations.NullMarked;
