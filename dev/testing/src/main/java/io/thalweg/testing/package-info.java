/** Shared test support: replayable seeds, a fake clock, waits for events, free ports, child processes and a browser. */
@NullMarked
package io.thalweg.testing;

import org.jspecify.annotations.NullMarked;
