/**
 * The load job: rows that were computed elsewhere, into an online store. A source hands on {@link
 * io.thalweg.jobs.load.LoadItem}s, whatever it reads; {@link io.thalweg.jobs.load.LoadSink} writes them, whatever the store.
 */
@NullMarked
package io.thalweg.jobs.load;

import org.jspecify.annotations.NullMarked;
