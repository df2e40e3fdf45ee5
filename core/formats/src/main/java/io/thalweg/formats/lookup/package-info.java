/** Lookup tables, which add fields to events. */
@NullMarked
package io.thalweg.formats.lookup;

import org.jspecify.annotations.NullMarked;
