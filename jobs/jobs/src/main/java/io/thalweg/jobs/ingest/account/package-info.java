/** Counts what an ingest has done with each record, so that every record is accounted for once. */
@NullMarked
package io.thalweg.jobs.ingest.account;

import org.jspecify.annotations.NullMarked;
