/**
 * The designs that Thalweg's demand pipeline is compared with, as they are built on stock Flink: the one that was published
 * first, its published tuned successor, and Flink SQL. Each reads the same topic as Thalweg, with exactly-once on, and writes one
 * record per row.
 */
@NullMarked
package io.thalweg.bench.rivals;

import org.jspecify.annotations.NullMarked;
