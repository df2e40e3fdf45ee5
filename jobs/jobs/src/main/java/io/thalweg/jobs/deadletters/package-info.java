/** The destinations of dead letters that tasks write directly, outside their job's streams. */
@NullMarked
package io.thalweg.jobs.deadletters;

import org.jspecify.annotations.NullMarked;
