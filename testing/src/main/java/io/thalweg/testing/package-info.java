/** What everyone's tests share: seeds that can be replayed, a clock that stands still, free ports, child processes. */
@NullMarked
package io.thalweg.testing;

import org.jspecify.annotations.NullMarked;
