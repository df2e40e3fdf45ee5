/** Ingestion: raw records from files to tables, translated without intermediate objects, each accounted for. */
@NullMarked
package io.thalweg.jobs.ingest;

import org.jspecify.annotations.NullMarked;
