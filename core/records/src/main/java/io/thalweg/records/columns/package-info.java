/** Records as columns: the leaves of a schema with the levels of Dremel, as Parquet stores them. */
@NullMarked
package io.thalweg.records.columns;

import org.jspecify.annotations.NullMarked;
