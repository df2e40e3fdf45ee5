/** A definition of an ingest with its schemas, compiled: what a task needs to translate messages. */
@NullMarked
package io.thalweg.jobs.ingest.plan;

import org.jspecify.annotations.NullMarked;
