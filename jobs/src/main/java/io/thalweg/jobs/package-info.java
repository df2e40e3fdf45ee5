/** All Flink code. What one process shares between a job, its command and its server stands here. */
@NullMarked
package io.thalweg.jobs;

import org.jspecify.annotations.NullMarked;
