/**
 * Live reads: what a running job has counted so far. {@link LiveEndpoint} answers inside each process of the job, {@link
 * LiveRoutes} tell where its shards are, {@link LiveClient} asks. Neither the job's engine nor the feature server is known here.
 */
@NullMarked
package io.thalweg.live;

import org.jspecify.annotations.NullMarked;
