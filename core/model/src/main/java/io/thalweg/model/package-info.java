/**
 * Definitions as immutable, validated records, the rows that they produce, and the codecs of both. A definition is read
 * and validated by {@link Definitions}; everything else here is plain data.
 */
@NullMarked
package io.thalweg.model;

import org.jspecify.annotations.NullMarked;
