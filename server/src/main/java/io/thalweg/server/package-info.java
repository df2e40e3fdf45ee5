/**
 * The feature server: HTTP/JSON and gRPC on one port over an {@link io.thalweg.store.OnlineStore}. {@link FeatureServer} starts
 * it, {@link Metrics} holds the series of {@code /metrics}; both protocols answer through one {@code FeatureReader}.
 */
@NullMarked
package io.thalweg.server;

import org.jspecify.annotations.NullMarked;
