/** Makes messages in the format that a definition reads, for tests and benchmarks. */
@NullMarked
package io.thalweg.jobs.ingest.message;

import org.jspecify.annotations.NullMarked;
