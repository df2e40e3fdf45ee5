/** Ingestion: translates raw records to rows of a sink without intermediate objects and accounts for each record. */
@NullMarked
package io.thalweg.jobs.ingest;

import org.jspecify.annotations.NullMarked;
