/**
 * The command {@code test}: reads definitions of {@code kind: Test} ({@link io.thalweg.cli.test.PipelineTest}), runs them through the real
 * job ({@link io.thalweg.cli.test.TestCluster}) and compares the output with what they expect ({@link io.thalweg.cli.test.Comparison} of
 * views, {@link io.thalweg.cli.test.IngestComparison} of ingests). {@link io.thalweg.cli.test.ThalwegTest} is for Java's test frameworks.
 */
@NullMarked
package io.thalweg.cli.test;

import org.jspecify.annotations.NullMarked;
