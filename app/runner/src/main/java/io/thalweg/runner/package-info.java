/**
 * Starts, watches and stops jobs and servers, in this process or on a Flink cluster. {@link io.thalweg.runner.Console} is the input
 * and output of a run, {@link io.thalweg.runner.ViewFiles} finds definitions, and {@link io.thalweg.runner.UserError} is a failure
 * that is reported as one line.
 */
@NullMarked
package io.thalweg.runner;

import org.jspecify.annotations.NullMarked;
