/**
 * The design that Thalweg's demand pipeline is compared with: the published one, tuned, as it is built on stock Flink. It reads
 * the same topic as Thalweg, with exactly-once on, and writes one record per row.
 */
@NullMarked
package io.thalweg.bench.rivals;

import org.jspecify.annotations.NullMarked;
