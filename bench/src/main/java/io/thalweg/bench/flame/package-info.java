/** Where a process spends its processor time: stacks taken while it runs, and drawn as a flame graph. */
@NullMarked
package io.thalweg.bench.flame;

import org.jspecify.annotations.NullMarked;
