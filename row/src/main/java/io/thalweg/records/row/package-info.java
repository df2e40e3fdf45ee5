/**
 * Functions of users on events between a source and a table: {@link io.thalweg.records.row.RowFunction}, what it takes and what it
 * answers.
 */
@NullMarked
package io.thalweg.records.row;

import org.jspecify.annotations.NullMarked;
