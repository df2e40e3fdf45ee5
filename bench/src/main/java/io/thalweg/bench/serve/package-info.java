/** Reading through the feature server: what a read takes under a steady load. */
@NullMarked
package io.thalweg.bench.serve;

import org.jspecify.annotations.NullMarked;
