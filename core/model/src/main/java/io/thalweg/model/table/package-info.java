/** Materializations: tables whose rows are served like those of a view. */
@NullMarked
package io.thalweg.model.table;

import org.jspecify.annotations.NullMarked;
