/** User functions on events: class loading and calls, isolated so that a failing function does not fail the job. */
@NullMarked
package io.thalweg.jobs.function;

import org.jspecify.annotations.NullMarked;
