/** Reads and validates definitions. Each kind of definition has a package of its own, as immutable, validated records. */
@NullMarked
package io.thalweg.model;

import org.jspecify.annotations.NullMarked;
