package io.thalweg.jobs.ingest;

import io.thalweg.jobs.sink.KafkaRecord;
import java.util.List;

/** Messages to be written to a topic. */
record MessageBatch(List<KafkaRecord> records) {}
