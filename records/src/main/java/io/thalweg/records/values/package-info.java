/** Records as objects and back: what functions of users take and answer, {@link io.thalweg.records.row.Row}. */
@NullMarked
package io.thalweg.records.values;

import org.jspecify.annotations.NullMarked;
