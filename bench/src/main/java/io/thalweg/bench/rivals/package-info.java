/**
 * The designs that Thalweg's demand pipeline is measured against, as people build them on stock Flink: what was published
 * first, what was published as its tuned successor, and Flink SQL. Each reads the same topic as Thalweg, with exactly-once on,
 * and writes one record per row.
 */
@NullMarked
package io.thalweg.bench.rivals;

import org.jspecify.annotations.NullMarked;
