/** The commands that run jobs, such as {@code run} and {@code ingest}, and those around them, such as {@code serve} and {@code stop}. */
@NullMarked
package io.thalweg.cli.run;

import org.jspecify.annotations.NullMarked;
