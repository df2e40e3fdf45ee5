/** Where rows, progress and dead letters go: Kafka, the online store, a stream of this process. */
@NullMarked
package io.thalweg.jobs.sink;

import org.jspecify.annotations.NullMarked;
