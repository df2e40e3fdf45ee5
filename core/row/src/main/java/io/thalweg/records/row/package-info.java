/**
 * User functions that transform events between a source and a table ({@link io.thalweg.records.row.RowFunction}), with their
 * inputs and outputs.
 */
@NullMarked
package io.thalweg.records.row;

import org.jspecify.annotations.NullMarked;
