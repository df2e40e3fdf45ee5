/** Kills a job, and measures how long it takes until it writes rows again. */
@NullMarked
package io.thalweg.bench.recover;

import org.jspecify.annotations.NullMarked;
