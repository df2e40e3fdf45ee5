/**
 * Metrics and traces: {@link Metrics} holds the series of {@code /metrics}, {@code Tracing} sends spans to a collector, and
 * {@code RequestTraces} records one span per read. Depends on {@code http}.
 */
@NullMarked
package io.thalweg.server.telemetry;

import org.jspecify.annotations.NullMarked;
