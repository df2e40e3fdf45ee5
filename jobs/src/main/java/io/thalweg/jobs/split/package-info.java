/** Splits of sources: how they are handed out. */
@NullMarked
package io.thalweg.jobs.split;

import org.jspecify.annotations.NullMarked;
