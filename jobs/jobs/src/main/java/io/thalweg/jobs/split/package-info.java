/** Assignment of source splits to readers. */
@NullMarked
package io.thalweg.jobs.split;

import org.jspecify.annotations.NullMarked;
