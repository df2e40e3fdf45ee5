/** Shared test support: replayable seeds, a fake clock, free ports, child processes and a browser. */
@NullMarked
package io.thalweg.testing;

import org.jspecify.annotations.NullMarked;
