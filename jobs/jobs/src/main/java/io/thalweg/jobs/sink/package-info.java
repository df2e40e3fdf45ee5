/** The sinks of rows, progress and dead letters: Kafka, the online store, and streams of this process. */
@NullMarked
package io.thalweg.jobs.sink;

import org.jspecify.annotations.NullMarked;
