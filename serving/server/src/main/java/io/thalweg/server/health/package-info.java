/**
 * Whether the server and its job work: readiness over HTTP and gRPC, and what a {@link JobProbe} knows about the job. Depends on
 * {@code read} and {@code http}.
 */
@NullMarked
package io.thalweg.server.health;

import org.jspecify.annotations.NullMarked;
