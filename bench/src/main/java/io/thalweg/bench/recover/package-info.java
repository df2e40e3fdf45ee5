/** A job that is killed, and how long it takes until there are rows again. */
@NullMarked
package io.thalweg.bench.recover;

import org.jspecify.annotations.NullMarked;
