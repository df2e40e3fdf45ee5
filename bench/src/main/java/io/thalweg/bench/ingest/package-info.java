/**
 * The benchmark of ingestion: made-up rides in several formats, written to tables by Thalweg and by the usual alternatives, each
 * in its own process.
 */
@NullMarked
package io.thalweg.bench.ingest;

import org.jspecify.annotations.NullMarked;
