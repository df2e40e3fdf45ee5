@NullMarked
package io.thalweg.jobs.ingest;

import org.jspecify.annotations.NullMarked;
