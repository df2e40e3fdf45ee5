/** A sink that appends rows to a warehouse over lanes, whose number adapts to the load. */
@NullMarked
package io.thalweg.jobs.lane;

import org.jspecify.annotations.NullMarked;
