package io.thalweg.jobs.ingest;

import io.thalweg.jobs.sink.KafkaRecord;
import java.util.List;

/** Messages on their way to a topic. */
record MessageBatch(List<KafkaRecord> records) {}
