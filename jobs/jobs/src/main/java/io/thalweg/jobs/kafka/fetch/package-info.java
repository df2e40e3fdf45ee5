/** Reads the records of partitions as the batches that brokers store, or with Kafka's own consumer. It does not know Flink. */
@NullMarked
package io.thalweg.jobs.kafka.fetch;

import org.jspecify.annotations.NullMarked;
