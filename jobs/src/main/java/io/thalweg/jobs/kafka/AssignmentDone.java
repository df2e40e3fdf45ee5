package io.thalweg.jobs.kafka;

import org.apache.flink.api.connector.source.SourceEvent;

/** Tells a reader that it has all partitions there are for it: one that has none need not hold the watermark back. */
record AssignmentDone() implements SourceEvent {}
