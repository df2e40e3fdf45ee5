/** Messages and rows that could not be ingested: how they are written, read again, and how many of them end a job. */
@NullMarked
package io.thalweg.jobs.ingest.deadletters;

import org.jspecify.annotations.NullMarked;
