/** Shared test support: seeds that can be replayed, a clock that does not move, free ports, child processes, a browser. */
@NullMarked
package io.thalweg.testing;

import org.jspecify.annotations.NullMarked;
