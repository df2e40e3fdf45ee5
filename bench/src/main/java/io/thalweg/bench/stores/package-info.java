/** Online stores of this machine, each with a real server in a process of its own, and what benchmarks do to them. */
@NullMarked
package io.thalweg.bench.stores;

import org.jspecify.annotations.NullMarked;
