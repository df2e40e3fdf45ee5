/** To be described by its owner. */
@NullMarked
package io.thalweg.kernel;

import org.jspecify.annotations.NullMarked;
