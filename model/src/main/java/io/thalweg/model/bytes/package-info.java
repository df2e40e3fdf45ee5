/** Growing arrays of bytes, bits within them, and JSON text: what encodings are made of. */
@NullMarked
package io.thalweg.model.bytes;

import org.jspecify.annotations.NullMarked;
