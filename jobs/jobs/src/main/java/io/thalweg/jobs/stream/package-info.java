/** A sink that appends rows to a warehouse over streams, whose number adapts to the load. */
@NullMarked
package io.thalweg.jobs.stream;

import org.jspecify.annotations.NullMarked;
