/** Rows from Kafka into a store: Thalweg's load job compared with one call per row, pipelined calls, and the same calls from memory. */
@NullMarked
package io.thalweg.bench.publish;

import org.jspecify.annotations.NullMarked;
