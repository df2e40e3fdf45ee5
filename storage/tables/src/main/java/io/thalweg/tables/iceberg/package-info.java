/** Writes Iceberg tables: schemas, data files and commits. It depends neither on Flink nor on the source of the rows. */
@NullMarked
package io.thalweg.tables.iceberg;

import org.jspecify.annotations.NullMarked;
