@NullMarked
package io.thalweg.bench.ingest;

import org.jspecify.annotations.NullMarked;
