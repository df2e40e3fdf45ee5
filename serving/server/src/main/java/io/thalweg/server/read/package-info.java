/**
 * Reads by key: one {@code FeatureReader} answers both protocols, from the store or from the running job, on the threads of
 * {@code Readers}. The forms of its requests and answers in JSON and gRPC are here, too. Depends on {@code http},
 * {@code telemetry} and {@code versions}.
 */
@NullMarked
package io.thalweg.server.read;

import org.jspecify.annotations.NullMarked;
