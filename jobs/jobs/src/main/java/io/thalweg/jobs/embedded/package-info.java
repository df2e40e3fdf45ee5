/** Embedded Flink: a mini cluster in this process, with a guarded REST endpoint. */
@NullMarked
package io.thalweg.jobs.embedded;

import org.jspecify.annotations.NullMarked;
