/**
 * Live reads: the current counts of a running job. {@link LiveEndpoint} answers inside each process of the job,
 * {@link LiveRoutes} locate its shards, {@link LiveClient} reads. This package depends neither on the job's engine nor on the
 * feature server.
 */
@NullMarked
package io.thalweg.live;

import org.jspecify.annotations.NullMarked;
