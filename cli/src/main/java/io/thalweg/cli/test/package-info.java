/**
 * The command {@code test}: definitions of {@code kind: Test} ({@link io.thalweg.cli.test.PipelineTest}) are read, run through the real
 * job ({@link io.thalweg.cli.test.TestCluster}) and compared with what they expect ({@link io.thalweg.cli.test.Comparison} of views, {@link
 * io.thalweg.cli.test.IngestComparison} of ingests). {@link io.thalweg.cli.test.ThalwegTest} is for Java's test frameworks.
 */
@NullMarked
package io.thalweg.cli.test;

import org.jspecify.annotations.NullMarked;
