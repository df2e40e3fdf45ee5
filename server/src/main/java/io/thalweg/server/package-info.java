/**
 * The feature server: HTTP/JSON and gRPC on one port over an {@link io.thalweg.store.OnlineStore}. {@link FeatureServer}
 * starts it, {@link Metrics} is what {@code /metrics} shows; both protocols answer through one {@code FeatureReader}.
 */
@NullMarked
package io.thalweg.server;

import org.jspecify.annotations.NullMarked;
