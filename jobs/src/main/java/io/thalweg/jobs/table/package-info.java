/** Writes columns to Iceberg tables, exactly once: any job may use it. */
@NullMarked
package io.thalweg.jobs.table;

import org.jspecify.annotations.NullMarked;
