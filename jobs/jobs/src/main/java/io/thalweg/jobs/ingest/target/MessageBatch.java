package io.thalweg.jobs.ingest.target;

import io.thalweg.jobs.sink.KafkaRecord;
import java.util.List;

/** Messages to be written to a topic. */
public record MessageBatch(List<KafkaRecord> records) {}
