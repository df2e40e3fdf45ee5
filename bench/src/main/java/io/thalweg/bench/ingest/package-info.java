/**
 * The benchmark of ingestion: made-up rides in several formats, written to tables by Thalweg and by what one would otherwise write,
 * each in a process of its own.
 */
@NullMarked
package io.thalweg.bench.ingest;

import org.jspecify.annotations.NullMarked;
