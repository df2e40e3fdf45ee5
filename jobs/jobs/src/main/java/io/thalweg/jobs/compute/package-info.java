/**
 * The compute job: {@link ComputeJob} wires decoding, routing, accumulation and assembly of feature views into one Flink
 * job.
 */
@NullMarked
package io.thalweg.jobs.compute;

import org.jspecify.annotations.NullMarked;
