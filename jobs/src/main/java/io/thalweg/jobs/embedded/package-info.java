/** Flink inside this process: its mini cluster, and a REST endpoint that only this process can read. */
@NullMarked
package io.thalweg.jobs.embedded;

import org.jspecify.annotations.NullMarked;
