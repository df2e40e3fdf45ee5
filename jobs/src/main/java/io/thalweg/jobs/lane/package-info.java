/** A sink of lanes: streams of rows into a warehouse, as many as the load needs. */
@NullMarked
package io.thalweg.jobs.lane;

import org.jspecify.annotations.NullMarked;
