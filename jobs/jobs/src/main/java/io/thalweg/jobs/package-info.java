/** All Flink code. This package contains what a job, its command and its server share within one process. */
@NullMarked
package io.thalweg.jobs;

import org.jspecify.annotations.NullMarked;
