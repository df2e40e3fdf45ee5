/** Checks whether a sustained load leaves everything as it was: figures are watched over time, judged, and drawn. */
@NullMarked
package io.thalweg.bench.soak;

import org.jspecify.annotations.NullMarked;
