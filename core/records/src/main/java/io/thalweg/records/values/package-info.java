/** Conversion of records to objects and back: {@link io.thalweg.records.row.Row}, which users' functions take and return. */
@NullMarked
package io.thalweg.records.values;

import org.jspecify.annotations.NullMarked;
