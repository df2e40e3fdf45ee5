/** Reads through the feature server: the cost of a read under a steady load. */
@NullMarked
package io.thalweg.bench.serve;

import org.jspecify.annotations.NullMarked;
