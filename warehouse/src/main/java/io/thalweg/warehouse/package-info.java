/** The port of warehouses that take rows by streams: jobs write to it, and each warehouse has an adapter. */
@NullMarked
package io.thalweg.warehouse;

import org.jspecify.annotations.NullMarked;
