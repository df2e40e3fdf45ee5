/**
 * The feature server: HTTP/JSON and gRPC on one port over an {@link io.thalweg.store.OnlineStore}. {@link FeatureServer} starts and
 * stops it, {@link ServerConfig} configures it, and {@link MetricsServer} is the port of a job that serves no features. The routes
 * of the feature port and the load management in front of them are here, too. Depends on all packages below it; none depends on
 * this one.
 */
@NullMarked
package io.thalweg.server;

import org.jspecify.annotations.NullMarked;
