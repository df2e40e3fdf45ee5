/** Which reader reads which partition from which position, and the clocks that readers share. */
@NullMarked
package io.thalweg.jobs.kafka.partition;

import org.jspecify.annotations.NullMarked;
