/** Whether a load that is held for long leaves everything as it was: figures watched over time, judged, and drawn. */
@NullMarked
package io.thalweg.bench.soak;

import org.jspecify.annotations.NullMarked;
