/** Writes Iceberg tables: schemas, data files and commits. It knows neither Flink nor where the rows come from. */
@NullMarked
package io.thalweg.tables.iceberg;

import org.jspecify.annotations.NullMarked;
