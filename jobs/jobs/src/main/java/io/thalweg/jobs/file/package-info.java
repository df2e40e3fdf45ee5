/** Bounded input from files, and output to files and streams of the same process. */
@NullMarked
package io.thalweg.jobs.file;

import org.jspecify.annotations.NullMarked;
