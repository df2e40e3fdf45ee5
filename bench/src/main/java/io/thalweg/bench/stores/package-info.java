/** Online stores on this machine, each with a real server in its own process, and operations of benchmarks on them. */
@NullMarked
package io.thalweg.bench.stores;

import org.jspecify.annotations.NullMarked;
