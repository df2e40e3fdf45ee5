/** Building blocks of encodings: growing byte arrays, bits within them, and JSON text. */
@NullMarked
package io.thalweg.model.bytes;

import org.jspecify.annotations.NullMarked;
