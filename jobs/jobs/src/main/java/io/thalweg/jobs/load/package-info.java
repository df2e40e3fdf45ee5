/**
 * The load job, which writes rows that were computed elsewhere into an online store. Every source emits {@link
 * io.thalweg.jobs.load.LoadItem}s; {@link io.thalweg.jobs.load.LoadSink} writes them into any store.
 */
@NullMarked
package io.thalweg.jobs.load;

import org.jspecify.annotations.NullMarked;
