/**
 * Tests of views, ingests and publishing: reads definitions of {@code kind: Test} ({@link io.thalweg.pipelinetest.PipelineTest}), runs
 * them through the real job ({@link io.thalweg.pipelinetest.TestCluster}) and compares the output with what they expect ({@link
 * io.thalweg.pipelinetest.Comparison} of views, {@link io.thalweg.pipelinetest.IngestComparison} of ingests). {@link
 * io.thalweg.pipelinetest.TestSuite} is for commands, {@link io.thalweg.pipelinetest.ThalwegTest} for Java's test frameworks.
 */
@NullMarked
package io.thalweg.pipelinetest;

import org.jspecify.annotations.NullMarked;
