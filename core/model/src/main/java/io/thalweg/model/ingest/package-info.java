/** Ingests: which raw events are read, which of their fields are kept, and where the rows go. */
@NullMarked
package io.thalweg.model.ingest;

import org.jspecify.annotations.NullMarked;
